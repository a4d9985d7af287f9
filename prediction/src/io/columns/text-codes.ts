import { Entries, OTHER } from './vector.js';

/** Distinct texts that are kept, and their longest, in bytes. */
const MAX_TEXTS = 2048;
const MAX_LENGTH = 64;

/** The bytes that `TextCodes` takes. */
export const TEXT_CODES_BYTES = 152 * 1024;

/** Places of the table, a power of two: it stays at most a quarter full. */
const PLACES = 8192;

/**
 * Finds texts that came before by their bytes, so that a text which is in many rows is decoded once. It keeps the first
 * texts that come; others are `OTHER`.
 */
export class TextCodes {
  readonly entries: Entries;
  readonly #texts: string[] = [];
  readonly #bytes = new Uint8Array(MAX_TEXTS * MAX_LENGTH);
  readonly #lengths = new Uint8Array(MAX_TEXTS);
  /** One more than the code in each place; 0 is empty. */
  readonly #places = new Uint16Array(PLACES);

  constructor() {
    const texts = this.#texts;
    this.entries = new Entries({
      get count() {
        return texts.length;
      },
      value: (index) => texts[index] ?? '',
      textBytes: (index) => this.#lengths[index] ?? 0,
    });
  }

  /** Returns the code of a text in UTF-8, or `OTHER`. */
  findCode(bytes: Buffer, from: number, to: number): number {
    const length = to - from;
    if (length > MAX_LENGTH) return OTHER;
    // FNV-1a (Fowler, Noll, Vo).
    let hash = 0x811c9dc5;
    for (let at = from; at < to; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
    let place = (hash ^ (hash >>> 15)) & (PLACES - 1);
    for (;;) {
      const code = (this.#places[place] ?? 0) - 1;
      if (code < 0) return this.#keep(place, bytes, from, to);
      if (this.#isSame(code, bytes, from, length)) return code;
      place = (place + 1) & (PLACES - 1);
    }
  }

  #isSame(code: number, bytes: Buffer, from: number, length: number): boolean {
    if (this.#lengths[code] !== length) return false;
    const start = code * MAX_LENGTH;
    for (let index = 0; index < length; index++) {
      if (this.#bytes[start + index] !== bytes[from + index]) return false;
    }
    return true;
  }

  #keep(place: number, bytes: Buffer, from: number, to: number): number {
    const code = this.#texts.length;
    if (code === MAX_TEXTS) return OTHER;
    this.#texts.push(bytes.toString('utf8', from, to));
    this.#bytes.set(bytes.subarray(from, to), code * MAX_LENGTH);
    this.#lengths[code] = to - from;
    this.#places[place] = code + 1;
    return code;
  }
}
