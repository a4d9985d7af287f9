import { writeDigits } from '../../serving/json-buffer.js';
import { parseNumber } from '../../table/cells.js';

const [LINE_FEED, CARRIAGE_RETURN, SPACE, QUOTE, COMMA] = [0x0a, 0x0d, 0x20, 0x22, 0x2c];

/** The longest text of a double, as -1.2345678901234567e-300, and room beyond it. */
const NUMBER_ROOM = 32;

/** Longer text is handed to native code. */
const SHORT = 64;

/** The characters that spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Matches the texts that need quotes; blanks at their ends would be lost without. */
const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/;

/** Returns a text as a field of CSV (RFC 4180). One that a spreadsheet would run as a formula begins with `'`. */
export function csvField(text: string): string {
  const safe = FORMULA.test(text) && Number.isNaN(parseNumber(text.trim())) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Collects CSV as bytes. */
export class CsvBuffer {
  #bytes: Buffer;
  #length = 0;
  readonly #capacity: number;

  /** @param capacity bytes to begin with; it grows. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  /** The number of bytes since the last `take`. */
  get length(): number {
    return this.#length;
  }

  /** Hands over what was written, and begins anew with other memory. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    this.#bytes = Buffer.allocUnsafe(this.#capacity);
    return written;
  }

  comma(): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = COMMA;
  }

  lineEnd(): void {
    this.#reserve(2);
    this.#bytes[this.#length++] = CARRIAGE_RETURN;
    this.#bytes[this.#length++] = LINE_FEED;
  }

  /** Writes a finite number. */
  number(value: number): void {
    this.#reserve(NUMBER_ROOM);
    const end = writeDigits(this.#bytes, this.#length, value);
    if (end > 0) this.#length = end;
    else this.raw(String(value));
  }

  /** Writes a text as a field. */
  text(text: string): void {
    if (text.length > SHORT || !this.#plain(text)) this.raw(csvField(text));
  }

  /** Writes text that is CSV already. */
  raw(text: string): void {
    this.#reserve(3 * text.length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Writes many bytes that are CSV already. */
  chunk(source: Uint8Array): void {
    this.#reserve(source.length);
    this.#bytes.set(source, this.#length);
    this.#length += source.length;
  }

  /** Writes a few bytes that are CSV already. */
  bytes(source: Uint8Array, from = 0, to = source.length): void {
    this.#reserve(to - from);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let index = from; index < to; index++) bytes[at++] = source[index] ?? 0;
    this.#length = at;
  }

  /**
   * Writes the bytes of a text without quotes and control characters as a field, and a comma; false, and nothing is
   * written, if it needs quotes, or might be a formula.
   */
  plainField(source: Uint8Array, from: number, to: number): boolean {
    this.#reserve(to - from + 1);
    const bytes = this.#bytes;
    let at = this.#length;
    if (to > from) {
      if (!isPlainBegin(source[from] ?? 0) || source[to - 1] === SPACE) return false;
      for (let index = from; index < to; index++) {
        const byte = source[index] ?? 0;
        if (byte === COMMA) return false;
        bytes[at++] = byte;
      }
    }
    bytes[at++] = COMMA;
    this.#length = at;
    return true;
  }

  /** Writes a text that begins with a letter or a digit and needs no quotes; false, and nothing is written, if it does. */
  #plain(text: string): boolean {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    let at = this.#length;
    if (text.length > 0 && !isPlainBegin(text.charCodeAt(0))) return false;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code > TILDE || code === QUOTE || code === COMMA) return false;
      bytes[at++] = code;
    }
    if (bytes[at - 1] === SPACE && at > this.#length) return false;
    this.#length = at;
    return true;
  }

  #reserve(room: number): void {
    const needed = this.#length + room;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, needed));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

const TILDE = 0x7e;

/** Whether a field that begins with the character is neither a formula nor a blank. */
function isPlainBegin(code: number): boolean {
  return code >= 0x30 && code !== 0x3d && code !== 0x40;
}
