import { escapeToken } from './json-pointer.js';
import { asRecord } from './json-record.js';

/** A rule that the contract has words of its own for (`x-roster-says`). */
interface WordedRule {
  readonly rule: string;
  readonly words: string;
  /** The JSON pointer to the schema that has the rule. */
  readonly pointer: string;
}

/** The contract's own words for its rules, so that no rule is worded twice. */
export function saysOf(document: unknown): Map<string, string> {
  const says = new Map<string, string>();
  eachWordedRule(document, ({ rule, words }) => says.set(rule, words));
  return says;
}

export function eachWordedRule(document: unknown, tell: (rule: WordedRule) => void): void {
  const steps: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { pattern, type, 'x-roster-says': words } = asRecord(node);
    // The words of a choice are about a whole body; they are found beside it.
    if (typeof words === 'string' && !('oneOf' in node)) {
      const rule = typeof pattern === 'string' ? patternRule(pattern) : `${type} ${steps.at(-1)}`;
      tell({ rule, words, pointer: steps.map((step) => `/${escapeToken(step)}`).join('') });
    }
    for (const [key, child] of Object.entries(node)) {
      steps.push(key);
      visit(child);
      steps.pop();
    }
  };
  visit(document);
}

/** The key of a rule that a pattern gives. */
export function patternRule(pattern: string): string {
  return `pattern ${pattern}`;
}

/** The key of the rule that a field must be null, or not be there. */
export function absenceRule(field: string): string {
  return `null ${field}`;
}
