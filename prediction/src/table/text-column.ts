import { codesByRow } from './chunked-array.js';
import { MAX_TEXTS, type TextColumn } from './column.js';
import type { ColumnReading } from './reading/column-reading.js';
import type { CountedText } from './reading/decide-column.js';

/** The code of a text that is not kept, while the column grows. */
const OTHER = MAX_TEXTS + 1;

/** The cells of a column as codes of its distinct texts, the rarest of which it can do without. */
export class TextCells {
  #codeOf = new Map<string, number>();
  /** The texts of numbers that came as such, as `typedText` writes them. */
  readonly #typed = new Set<string>();
  readonly #codes = codesByRow();
  #heldBytes = 0;
  /** True if texts were met that are not kept. */
  #hasForgotten = false;

  /** The texts that are kept, in order of first appearance, with the rows of each; '' counts those of all others. */
  *counted(): Generator<CountedText> {
    const counts = this.#counts();
    for (const [text, code] of this.#codeOf) yield [text, counts[code] ?? 0];
    if (this.#hasForgotten) yield ['', counts[OTHER] ?? 0];
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get isFull(): boolean {
    return this.#codeOf.size >= MAX_TEXTS;
  }

  /** Returns whether the text is kept already; then it is put. */
  putKnown(row: number, text: string): boolean {
    const code = this.#codeOf.get(text);
    if (code === undefined) return false;
    this.#codes.set(row, code);
    return true;
  }

  /** Keeps a text that is not kept yet; there must be room. */
  putNew(row: number, text: string): void {
    const code = this.#codeOf.size + 1;
    this.#codeOf.set(text, code);
    this.#codes.set(row, code);
    this.#heldBytes += countBytes(text);
  }

  /** Marks a text as that of a number cell. */
  markTyped(text: string): void {
    this.#typed.add(text);
  }

  /**
   * Yields the cell of each row that has one, and releases all cells: a text, '' for a text that was not kept, or a
   * number cell.
   */
  *takeCells(): Generator<{ row: number; cell: string | number }> {
    const cells: (string | number)[] = [''];
    for (const text of this.#codeOf.keys()) {
      cells.push(this.#typed.has(text) ? Number(text) : text);
    }
    for (const { start, chunk } of this.#codes.takeChunks()) {
      for (let at = 0; at < chunk.length; at++) {
        const code = chunk[at] ?? 0;
        if (code > 0) yield { row: start + at, cell: cells[code] ?? '' };
      }
    }
  }

  /**
   * Forgets the rarer half of the texts, the later ones of those that are as rare; their cells
   * become others. A text that is met again after that is kept again.
   */
  forgetRare(): void {
    this.#hasForgotten = true;
    const counts = this.#counts();
    const texts = [...this.#codeOf.keys()];
    const byFrequency = Uint32Array.from(texts, (_, index) => index + 1).sort(
      (one, other) => (counts[other] ?? 0) - (counts[one] ?? 0) || one - other,
    );
    const kept = byFrequency.subarray(0, texts.length >> 1).sort();
    const newCodes = new Uint16Array(OTHER + 1).fill(OTHER);
    newCodes[0] = 0;
    this.#codeOf = new Map();
    this.#heldBytes = 0;
    for (const code of kept) {
      const text = texts[code - 1] ?? '';
      this.#codeOf.set(text, this.#codeOf.size + 1);
      newCodes[code] = this.#codeOf.size;
      this.#heldBytes += countBytes(text);
    }
    this.#codes.map((code) => newCodes[code] ?? OTHER);
  }

  /**
   * Returns the column, and releases the cells.
   *
   * @param reading of the column. Where the point does not separate decimals in its texts, numbers that came as such keep
   *   a form that no text is taken for.
   */
  take(name: string, rowCount: number, reading: ColumnReading | null): TextColumn {
    const keepsTyped = reading?.kind === 'number' && reading.decimal === ',';
    const newCodes = new Uint16Array(OTHER + 1);
    const codeOf = new Map<string, number>();
    let changes = false;
    for (const [key, code] of this.#codeOf) {
      const isTyped = !keepsTyped && this.#typed.has(key);
      const text = isTyped ? String(Number(key)) : key;
      const known = codeOf.get(text) ?? codeOf.size + 1;
      codeOf.set(text, known);
      newCodes[code] = known;
      changes ||= known !== code;
    }
    const codes = this.#codes.take(rowCount);
    newCodes[OTHER] = codeOf.size + 1;
    if (changes || this.#hasForgotten) {
      for (let row = 0; row < rowCount; row++) codes[row] = newCodes[codes[row] ?? 0] ?? 0;
    }
    return { kind: 'text', name, texts: [...codeOf.keys()], codes, reading };
  }

  /** The rows of each code. */
  #counts(): Uint32Array {
    const counts = new Uint32Array(OTHER + 1);
    this.#codes.map((code) => {
      counts[code] = (counts[code] ?? 0) + 1;
      return code;
    });
    return counts;
  }
}

/**
 * Returns the text under which a column keeps a number that came as such, in place of `text`: with an exponent, it has one
 * meaning, whatever the marks of the column's texts are.
 */
export function typedText(text: string): string {
  return text.includes('.') && !text.includes('e') ? `${text}e0` : text;
}

/** Shorter parts of a text are copies already (V8's `SlicedString::kMinLength`). */
const MIN_SLICE = 13;

/** Returns a copy: a text may be a part of a larger one, such as a piece of CSV, and would keep all of it in memory. */
export function detached(text: string): string {
  return text.length < MIN_SLICE ? text : Buffer.from(text, 'utf16le').toString('utf16le');
}

/** About as much as the texts of one table may take, in bytes. */
const MAX_BYTES = 96 * 1024 * 1024;

/** The bytes of a map's entry, without the letters of its text. */
const ENTRY = 64;

/** Holds texts, and can do with fewer. */
export interface TextHolder {
  /** The bytes of what it holds, by `bytesOf`. */
  readonly heldBytes: number;
  /** Gives up half of its texts or more; the last one too. */
  makeRoom(): void;
}

export function countBytes(text: string): number {
  return ENTRY + text.length;
}

/**
 * The texts of all columns of a table, limited together: a limit for each column alone
 * would let a thousand of them take a thousand times as much.
 */
export class TextMemory {
  readonly #holders: TextHolder[] = [];
  #heldBytes = 0;

  enter(holder: TextHolder): void {
    this.#holders.push(holder);
  }

  /** Counts a text that one of the holders is about to keep; the holder of the most makes room for it. */
  reserve(text: string): void {
    this.#heldBytes += countBytes(text);
    while (this.#heldBytes > MAX_BYTES) {
      const largest = this.#largest();
      if (largest.heldBytes === 0) return;
      largest.makeRoom();
    }
  }

  /** Counts a text, unless there is no room for it. */
  tryReserve(text: string): boolean {
    const bytes = countBytes(text);
    if (this.#heldBytes + bytes > MAX_BYTES) return false;
    this.#heldBytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#heldBytes -= bytes;
  }

  #largest(): TextHolder {
    return this.#holders.reduce((one, other) => (other.heldBytes > one.heldBytes ? other : one));
  }
}
