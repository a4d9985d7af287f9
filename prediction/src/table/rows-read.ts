import { cutText } from '../text/cut-text.js';
import { largeCodesByRow } from './chunked-array.js';
import type { Place } from './reading/column-reading.js';

/** Why a row is not used: it has no target, its sender named it, or a later row of its series has the same moment. */
export type LeftOutCause = 'no_target' | 'dropped' | 'repeated_moment';

/** Rows that are not used, for one cause. */
export interface LeftOutRows {
  readonly cause: LeftOutCause;
  readonly rows: number;
  /** The first of them, at most `MAX_PLACES`. */
  readonly places: Place[];
  /** The words in place of a target value, with their rows, the most frequent first; at most ten. */
  readonly words: { readonly word: string; readonly rows: number }[];
}

/** The most places of rows that are named for one finding. */
export const MAX_PLACES = 10;

/** The most words that are reported, and that are counted: later words are in no list. */
const MAX_WORDS = 10;
const MAX_COUNTED = 100;

/** The most characters that are kept of a word. */
const MAX_WORD = 100;

interface LeftOut {
  rows: number;
  readonly places: Place[];
  readonly words: Map<string, number>;
}

/** Counts the rows of a table, and knows where each row that is used stands in the text of its sender. */
export class RowsRead {
  readonly places = new RowPlaces();
  readonly #leftOut = new Map<LeftOutCause, LeftOut>();

  /**
   * Counts a row that is not used.
   *
   * @param cell in place of a target value, whose text is counted.
   */
  leaveOut(cause: LeftOutCause, place: Place, cell?: unknown): void {
    let left = this.#leftOut.get(cause);
    if (left === undefined) {
      left = { rows: 0, places: [], words: new Map() };
      this.#leftOut.set(cause, left);
    }
    left.rows++;
    if (left.places.length < MAX_PLACES) left.places.push(place);
    if (typeof cell !== 'string' && typeof cell !== 'number') return;
    const word = Number.isNaN(cell) ? '' : cutText(String(cell).trim(), MAX_WORD);
    const count = left.words.get(word);
    if (word === '' || (count === undefined && left.words.size === MAX_COUNTED)) return;
    left.words.set(word, (count ?? 0) + 1);
  }

  /** Returns the rows that are not used by cause, the most frequent cause first. */
  leftOut(): LeftOutRows[] {
    return [...this.#leftOut]
      .map(([cause, { rows, places, words }]) => {
        const counted = [...words].map(([word, count]) => ({ word, rows: count }));
        const mostFrequent = counted.sort((one, other) => other.rows - one.rows).slice(0, MAX_WORDS);
        return { cause, rows, places, words: mostFrequent };
      })
      .sort((one, other) => other.rows - one.rows);
  }
}

/** The places of rows as plain data. */
export interface EncodedPlaces {
  readonly areLines: boolean;
  readonly rows: number;
  readonly runs: Float64Array;
}

/**
 * The places of the rows that are used, as runs: in a run, lines and rows grow together. Takes eight bytes a run: a table
 * without gaps is one run, and none has more runs than rows.
 */
export class RowPlaces {
  readonly #firstRows = largeCodesByRow();
  readonly #firstNumbers = largeCodesByRow();
  #runs = 0;
  #rows = 0;
  #next = -1;
  #hasLines = false;

  /** The number of rows. */
  get length(): number {
    return this.#rows;
  }

  /** Adds the next row. All places of a table are of one kind. */
  add(place: Place): void {
    this.#hasLines = 'line' in place;
    const number = 'line' in place ? place.line : place.row;
    if (number !== this.#next) {
      this.#firstRows.set(this.#runs, this.#rows);
      this.#firstNumbers.set(this.#runs, number);
      this.#runs++;
    }
    this.#rows++;
    this.#next = number + 1;
  }

  /** Returns the runs as plain data: for each its first row, and the number of that row's place. */
  encode(): EncodedPlaces {
    const runs = new Float64Array(2 * this.#runs);
    for (let run = 0; run < this.#runs; run++) {
      runs[2 * run] = this.#firstRows.get(run);
      runs[2 * run + 1] = this.#firstNumbers.get(run);
    }
    return { areLines: this.#hasLines, rows: this.#rows, runs };
  }

  static decode({ areLines, rows, runs }: EncodedPlaces): RowPlaces {
    const places = new RowPlaces();
    places.#hasLines = areLines;
    places.#rows = rows;
    places.#runs = runs.length >>> 1;
    for (let run = 0; run < places.#runs; run++) {
      places.#firstRows.set(run, runs[2 * run] ?? 0);
      places.#firstNumbers.set(run, runs[2 * run + 1] ?? 0);
    }
    return places;
  }

  /** Returns the place of a row that was added, from 0. */
  at(row: number): Place {
    let [low, high] = [0, this.#runs - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (this.#firstRows.get(middle) <= row) low = middle;
      else high = middle - 1;
    }
    const number = this.#firstNumbers.get(low) + row - this.#firstRows.get(low);
    return this.#hasLines ? { line: number } : { row: number };
  }
}
