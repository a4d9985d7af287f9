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

/**
 * Says in words what a pattern without a message of its own asks for, if it is about the characters of a text, as most
 * are; undefined for others.
 */
export function describePattern(pattern: string): string | undefined {
  const { unlikeBlank, first, rest, count } = CHARACTERS.exec(pattern)?.groups ?? {};
  if (unlikeBlank !== undefined) return `must not be blank, and ${describeCharacters(unlikeBlank)}`;
  const words = rest === undefined ? undefined : describeCharacters(rest, count);
  if (words === undefined || first === undefined) return words;
  const begin = listCharacters(first);
  return begin && `${words}, and begin with one of ${begin}`;
}

/** Text of certain characters, of which the first may be others or one is no blank. */
const CHARACTERS =
  /^\^(?:(?<unlikeBlank>\[[^\]]+\])\*\\S\k<unlikeBlank>\*|(?<first>\[[^\]]+\])?(?<rest>\[[^\]]+\])(?:[*+]|\{(?<count>\d+)\}))\$$/;

const NAMED: Readonly<Record<string, string>> = {
  '[^\\u0000]': 'must not contain the character U+0000',
  '[^\\u0000-\\u001f\\u007f]': 'must not contain control characters',
  '[!-~]': 'must consist of visible characters of ASCII',
  '[\\x21-\\x7e]': 'must consist of visible characters of ASCII',
};

/** @param count the number of characters, if it is fixed */
function describeCharacters(characters: string, count?: string): string | undefined {
  const named = count === undefined ? NAMED[characters] : undefined;
  if (named !== undefined) return named;
  const listed = listCharacters(characters);
  const of = count === undefined ? '' : `${count} characters of `;
  return listed && `must consist of ${of}${listed}`;
}

/** Lists the characters between brackets, as in `A-Z a-z _`; undefined if they are not plain. */
function listCharacters(brackets: string): string | undefined {
  const listed = brackets.slice(1, -1).match(/[^\\]-[^\\]|\\?./g) ?? [];
  const plain = listed.map((one) => one.replace(/^\\(?=[^\w])/, ''));
  const isPlain = !brackets.startsWith('[^') && plain.every((one) => /^[!-[\]-~](-.)?$/.test(one));
  return isPlain ? plain.join(' ') : undefined;
}
