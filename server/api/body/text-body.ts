import { isUtf8 } from 'node:buffer';
import { invalidRequest, malformedBody } from '../../problems/problem.js';

/** A body of text, decoded from UTF-8. */
export class TextBody<MediaType extends string = string> {
  constructor(
    readonly mediaType: MediaType,
    readonly text: string,
  ) {}
}

/**
 * Decodes a body of text from UTF-8, and drops a byte order mark.
 * @throws {ProblemError} if it is not UTF-8, or contains U+0000, which PostgreSQL cannot store
 */
export function textBody(mediaType: string, bytes: Buffer): TextBody {
  if (!isUtf8(bytes)) {
    const at = validLength(bytes);
    throw malformedBody(
      `The body is not UTF-8: byte ${at + 1} is not part of a character. Convert the text to UTF-8.`,
    );
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const message = `must not contain the character U+0000, as byte ${nul + 1} does`;
    throw invalidRequest([{ pointer: '/body', message }]);
  }
  return new TextBody(mediaType, new TextDecoder().decode(bytes));
}

/** Returns the number of bytes before the first that is not part of a character of UTF-8. */
function validLength(bytes: Buffer): number {
  let low = 0;
  let high = bytes.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (wholeCharacters(bytes, middle) === undefined) high = middle - 1;
    else low = middle;
  }
  return wholeCharacters(bytes, low) ?? 0;
}

/** The bytes of a character that a prefix may lack. */
const LACKING = [0, 1, 2, 3];

/** Returns the length of the whole characters in a prefix; undefined if it is not valid. */
function wholeCharacters(bytes: Buffer, length: number): number | undefined {
  return LACKING.map((lacking) => Math.max(length - lacking, 0)).find((whole) =>
    isUtf8(bytes.subarray(0, whole)),
  );
}
