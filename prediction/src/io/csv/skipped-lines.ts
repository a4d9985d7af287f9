import { FormatError } from '../columns/format-error.js';

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Passes over the lines above the header, such as a title. They need not be CSV: a quote in them opens nothing. Lines
 * end with LF, CRLF or CR.
 */
export class SkippedLines {
  readonly #headerLine: number;
  #left: number;
  /** True if a CR has ended a line, of which a LF that follows is a part. */
  #endedWithReturn = false;
  /** True if the line that is passed over has bytes, so that it counts without a line end. */
  #hasBytes = false;
  /** True if there is text below the lines. */
  #hasRest = false;

  constructor(headerLine: number) {
    this.#headerLine = headerLine;
    this.#left = headerLine - 1;
  }

  /** Returns what a piece of the body holds below the lines. */
  cut(piece: Uint8Array): Uint8Array {
    let at = 0;
    for (; at < piece.length && (this.#left > 0 || this.#endedWithReturn); at++) {
      const byte = piece[at];
      if (this.#endedWithReturn) {
        this.#endedWithReturn = false;
        if (byte === LINE_FEED) continue;
        if (this.#left === 0) break;
      }
      this.#hasBytes = byte !== CARRIAGE_RETURN && byte !== LINE_FEED;
      if (byte === CARRIAGE_RETURN) this.#endedWithReturn = true;
      if (!this.#hasBytes) this.#left--;
    }
    if (at < piece.length) this.#hasRest = true;
    return piece.subarray(at);
  }

  /** @throws {FormatError} if no text has followed the lines. */
  refuseEnd(): void {
    if (this.#hasRest || this.#headerLine === 1) return;
    const count = this.#headerLine - 1 - this.#left + (this.#hasBytes ? 1 : 0);
    const lines = count === 1 ? '1 line' : `${count.toLocaleString('en')} lines`;
    throw new FormatError(
      `header_line is ${this.#headerLine}, but the text has ${lines}. Name the line that has the names of the columns.`,
    );
  }
}
