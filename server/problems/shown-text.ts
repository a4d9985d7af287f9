import { cutText } from 'roster-prediction/text';

/**
 * The texts of callers in problems, logs, spans and the audit log. A text is cut before anything else reads it, so that
 * the time depends on the length that is shown, not on the length that was sent.
 */

/** The most characters of an address that are shown, its query included. */
export const MAX_ADDRESS_LENGTH = 8000;

/** The characters that are read beyond those that are shown: a mask is shorter than its secret. */
const MAX_MASKED_LENGTH = 8000;

/**
 * Returns the text of a caller to show: at most `maxLength` characters, without keys and tokens that were sent in the
 * wrong place. A text that is cut ends with `…`. A secret that is cut is masked, too.
 */
export function showText(sent: string, maxLength: number): string {
  // Nearly all are short.
  if (sent.length <= maxLength) return maskSecrets(sent);
  return cutText(maskSecrets(cutText(sent, maxLength + MAX_MASKED_LENGTH)), maxLength);
}

/**
 * The most characters of a name in a pointer to a fault. A problem shows the first thousand of a pointer, and reads some
 * thousands more; a name may have a megabyte, and occur in the pointers of a hundred faults.
 */
const MAX_NAME_LENGTH = 10_000;

/** Cuts a name that a caller made up, for the pointer to a fault. */
export function cutName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : name.slice(0, MAX_NAME_LENGTH);
}

/** Words of the characters of keys and tokens, with dots between them; the mark of a cut if they end at one. */
const WORDS = /[\w-]+(?:\.[\w-]*)*…?/g;

/** The fewest characters of a secret: a shorter piece is useless, and a name such as roster_sales_2026 is not a key. */
const KEY = /roster_[A-Za-z0-9]+_[A-Za-z0-9]{16,}/g;

/** The beginning of a key at a cut. */
const CUT_KEY = /roster_(?:[A-Za-z0-9]+(?:_[A-Za-z0-9]*)?)?$/;

/** The beginning of every JWT: `{"` in Base64. */
const TOKEN = 'eyJ';

/** The fewest further characters of the header of a token, and those of its payload. */
const MIN_TOKEN_LENGTH = 8;

/** Masks the secrets of a text; each character is visited a fixed number of times. */
function maskSecrets(text: string): string {
  // Nearly all have none.
  if (!text.includes('roster_') && !text.includes(TOKEN)) return text;
  return text.replace(WORDS, (words) => {
    const isCut = words.endsWith('…');
    return maskWords((isCut ? words.slice(0, -1) : words).split('.'), isCut);
  });
}

/** @param isCut whether the last word may have been longer */
function maskWords(words: readonly string[], isCut: boolean): string {
  const shown: string[] = [];
  const last = words.length - 1;
  let index = 0;
  while (index <= last) {
    const word = words[index] ?? '';
    const start = findToken(words, index, isCut);
    if (start >= 0) {
      shown.push(`${maskKeys(word.slice(0, start))}${TOKEN}…`);
      // The header, the payload and the signature.
      index += 3;
      if (index > last) return shown.join('.');
    } else {
      shown.push(maskKeys(isCut && index === last ? word.replace(CUT_KEY, 'roster_') : word));
      index += 1;
    }
  }
  return isCut ? `${shown.join('.')}…` : shown.join('.');
}

/** Returns where a token begins in a word; -1 if none does. The first of several beginnings has the longest token. */
function findToken(words: readonly string[], index: number, isCut: boolean): number {
  const { [index]: header = '', [index + 1]: payload = '' } = words;
  const start = header.indexOf(TOKEN);
  if (start < 0) return -1;
  const last = words.length - 1;
  const isLong = header.length - start - TOKEN.length >= MIN_TOKEN_LENGTH;
  const isToken = isLong && index + 1 < last && payload.length >= MIN_TOKEN_LENGTH;
  const isCutToken = isCut && (index === last || (isLong && index + 1 === last));
  return isToken || isCutToken ? start : -1;
}

function maskKeys(word: string): string {
  return word.replace(KEY, 'roster_…');
}
