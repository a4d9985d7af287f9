import { escapeToken } from './json-pointer.js';
import { asRecord } from './json-record.js';

/** A rule with a message of its own (`x-roster-message`). */
interface RuleMessage {
  readonly rule: string;
  readonly message: string;
  /** The JSON pointer to the schema with the rule. */
  readonly pointer: string;
}

export function findRuleMessages(document: unknown): RuleMessage[] {
  const found: RuleMessage[] = [];
  const steps: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { pattern, type, 'x-roster-message': message } = asRecord(node);
    // Skips the message of a `oneOf`, which is about a whole body and is looked up at its schema.
    if (typeof message === 'string' && !('oneOf' in node)) {
      const rule = typeof pattern === 'string' ? patternRule(pattern) : `${type} ${steps.at(-1)}`;
      const pointer = steps.map((step) => `/${escapeToken(step)}`).join('');
      found.push({ rule, message, pointer });
    }
    for (const [key, child] of Object.entries(node)) {
      steps.push(key);
      visit(child);
      steps.pop();
    }
  };
  visit(document);
  return found;
}

/** Returns the key of a pattern's rule. */
export function patternRule(pattern: string): string {
  return `pattern ${pattern}`;
}

/** Returns the key of the rule that a field must be null or missing. */
export function absenceRule(field: string): string {
  return `null ${field}`;
}
