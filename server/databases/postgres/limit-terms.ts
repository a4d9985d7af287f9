import { queryError } from '../query-error.js';

/**
 * The most words, values and operators of a statement. Each may nest the tree of the parser one
 * level deeper; 7,000 levels overflow the stack of its WebAssembly on some versions of Node.js.
 */
export const MAX_TERMS = 5_000;

export const MAX_NESTING = 200;

const LETTER = 'A-Za-z_\\u0080-\\uffff';

/**
 * A token, as PostgreSQL's scanner (`scan.l`) has them; a text or a name may lack its end. The
 * characters of an operator are tokens by themselves, so that none is overlooked.
 */
const TOKEN = new RegExp(
  [
    '(?<blank>[ \\t\\n\\r\\f\\v]+|--[^\\n\\r]*)',
    '(?<comment>/\\*)',
    `(?<dollar>\\$(?:[${LETTER}][${LETTER}0-9]*)?\\$)`,
    `(?<value>[eE]'(?:[^'\\\\]|\\\\[^]|'')*'?|'(?:[^']|'')*'?|"(?:[^"]|"")*"?)`,
    `(?<word>[0-9][${LETTER}0-9]*|[${LETTER}][${LETTER}0-9$]*)`,
    '(?<open>[([])',
    '(?<close>[)\\]])',
    // The lists and names that these make are flat.
    '(?<flat>[,.])',
    '(?<sign>[^])',
  ].join('|'),
  'y',
);

/**
 * Refuses a statement that may nest the parser too deeply, in time that is linear in its length.
 * @throws {ProblemError}
 */
export function limitTerms(sql: string): void {
  let terms = 0;
  let nesting = 0;
  for (let at = 0; at < sql.length; ) {
    TOKEN.lastIndex = at;
    const { 0: token = '', groups: is = {} } = TOKEN.exec(sql) ?? {};
    at += Math.max(1, token.length);
    if (is['comment'] !== undefined) at = endOfComment(sql, at);
    else if (is['dollar'] !== undefined) at = endOfDollarQuote(sql, at, token);
    if (is['open'] !== undefined) nesting += 1;
    else if (is['close'] !== undefined) nesting -= 1;
    else if ((is['blank'] ?? is['comment'] ?? is['flat']) === undefined) terms += 1;
    if (terms > MAX_TERMS) {
      throw queryError(
        `The statement has more than ${MAX_TERMS} words, values and operators; write a shorter one.`,
      );
    }
    if (nesting > MAX_NESTING) {
      throw queryError(
        `The statement nests parentheses deeper than ${MAX_NESTING} levels; write a flatter one.`,
      );
    }
  }
}

/** Returns the offset after a comment, which may contain others. */
function endOfComment(sql: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  for (let depth = 1; depth > 0; ) {
    const mark = marks.exec(sql);
    if (mark === null) return sql.length;
    depth += mark[0] === '/*' ? 1 : -1;
  }
  return marks.lastIndex;
}

function endOfDollarQuote(sql: string, start: number, quote: string): number {
  const end = sql.indexOf(quote, start);
  return end < 0 ? sql.length : end + quote.length;
}
