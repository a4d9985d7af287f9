import { isUtf8 } from 'node:buffer';
import { RowsError } from '../answer-part.js';

/**
 * Checks that bytes are text in UTF-8 without U+0000.
 *
 * @param line on which the bytes begin.
 * @throws {RowsError} with the first line of which they are not.
 */
export function checkText(bytes: Buffer, line: number): void {
  const at = bytes.indexOf(0);
  if (at >= 0) {
    const place = line + lineEndsIn(bytes.subarray(0, at));
    throw new RowsError(`Line ${place} has the character U+0000 in it. Remove it.`);
  }
  if (isUtf8(bytes)) return;
  let start = 0;
  for (let end = 0; isUtf8(bytes.subarray(start, end)); ) {
    start = end;
    end = bytes.indexOf('\n', start) + 1 || bytes.length;
  }
  const place = line + lineEndsIn(bytes.subarray(0, start));
  throw new RowsError(
    `Line ${place} is not UTF-8 text. Save the rows as "CSV UTF-8" and send them again.`,
  );
}

function lineEndsIn(bytes: Buffer): number {
  return bytes.toString('latin1').match(/\r\n|\n|\r/g)?.length ?? 0;
}
