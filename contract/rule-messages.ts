import { listParts } from './parts.js';
import { splitPointer } from './pointer.js';

/** A rule with its own message (`x-roster-message`). */
interface RuleMessage {
  readonly rule: string;
  readonly message: string;
  /** The JSON pointer to the schema with the rule. */
  readonly pointer: string;
}

/** Returns the rules of all schemas that have a message. That of a `oneOf` is about a whole body, and is left out. */
export function findRuleMessages(document: unknown): RuleMessage[] {
  return listParts(document).flatMap(({ kind, pointer, value }) => {
    const { pattern, type, oneOf, 'x-roster-message': message } = value;
    if (kind !== 'schema' || typeof message !== 'string' || oneOf !== undefined) return [];
    const rule = typeof pattern === 'string' ? patternRule(pattern) : `${type} ${splitPointer(pointer).at(-1)}`;
    return [{ rule, message, pointer }];
  });
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
 * Says in words what a pattern without its own message asks for, if it is about the characters of a text, as most
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
