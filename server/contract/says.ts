import { escapeToken } from './json-pointer.js';

/** A rule that the contract has words of its own for (`x-roster-says`). */
interface WordedRule {
  readonly rule: string;
  readonly words: string;
  /** The JSON pointer to the schema that has the rule. */
  readonly pointer: string;
}

/** The contract's own words for its rules, so that no rule is worded twice. */
export function saysOf(document: unknown): Map<string, string> {
  return new Map(Array.from(wordedRules(document), ({ rule, words }) => [rule, words]));
}

export function* wordedRules(node: unknown, pointer = '', name = ''): Generator<WordedRule> {
  if (typeof node !== 'object' || node === null) return;
  const { pattern, type, 'x-roster-says': words } = node as Record<string, unknown>;
  // The words of a choice are about a whole body; they are found beside it.
  if (typeof words === 'string' && !('oneOf' in node)) {
    const rule = typeof pattern === 'string' ? patternRule(pattern) : `${type} ${name}`;
    yield { rule, words, pointer };
  }
  for (const [key, child] of Object.entries(node)) {
    yield* wordedRules(child, `${pointer}/${escapeToken(key)}`, key);
  }
}

/** The key of a rule that a pattern gives. */
export function patternRule(pattern: string): string {
  return `pattern ${pattern}`;
}

/** The key of the rule that a field must be null, or not be there. */
export function absenceRule(field: string): string {
  return `null ${field}`;
}
