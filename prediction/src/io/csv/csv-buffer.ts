import { TextBuffer } from '../../serving/text-buffer.js';
import { parseNumber } from '../../table/cells.js';

const [SPACE, QUOTE, COMMA] = [0x20, 0x22, 0x2c];

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
export class CsvBuffer extends TextBuffer {
  /** Writes a text as a field. */
  text(text: string): void {
    if (text.length > SHORT || !this.#plain(text)) this.raw(csvField(text));
  }

  /**
   * Writes the bytes of a text without quotes and control characters as a field, and a comma; false, and nothing is
   * written, if it needs quotes, or might be a formula.
   */
  plainField(source: Uint8Array, from: number, to: number): boolean {
    this.reserve(to - from + 1);
    const bytes = this.memory;
    let at = this.end;
    if (to > from) {
      if (!isPlainBegin(source[from] ?? 0) || source[to - 1] === SPACE) return false;
      for (let index = from; index < to; index++) {
        const byte = source[index] ?? 0;
        if (byte === COMMA) return false;
        bytes[at++] = byte;
      }
    }
    bytes[at++] = COMMA;
    this.end = at;
    return true;
  }

  /** Writes a text that begins with a letter or a digit and needs no quotes; false, and nothing is written, if it does. */
  #plain(text: string): boolean {
    this.reserve(text.length);
    const bytes = this.memory;
    let at = this.end;
    if (text.length > 0 && !isPlainBegin(text.charCodeAt(0))) return false;
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code < SPACE || code > TILDE || code === QUOTE || code === COMMA) return false;
      bytes[at++] = code;
    }
    if (bytes[at - 1] === SPACE && at > this.end) return false;
    this.end = at;
    return true;
  }
}

const TILDE = 0x7e;

/** Whether a field that begins with the character is neither a formula nor a blank. */
function isPlainBegin(code: number): boolean {
  return code >= 0x30 && code !== 0x3d && code !== 0x40;
}
