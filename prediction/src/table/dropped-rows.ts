import type { Place } from './reading/column-reading.js';
import { FaultList } from './table-error.js';

/** Ranges of rows by line or index, both ends included. */
export type RowRanges = readonly (readonly [first: number, last: number])[];

/** The rows that the sender of a table leaves out. */
export class DroppedRows {
  /** The ranges in ascending order, those that touch each other as one. */
  readonly #merged: [first: number, last: number][] = [];
  /** The ranges in which no row was yet. */
  #unmet: RowRanges;

  constructor(ranges: RowRanges) {
    this.#unmet = ranges;
    for (const [first, last] of ranges.toSorted((one, other) => one[0] - other[0])) {
      const previous = this.#merged.at(-1);
      if (previous && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
      else this.#merged.push([first, last]);
    }
  }

  /** Returns whether the row of a place is left out. */
  has(place: Place): boolean {
    if (this.#merged.length === 0) return false;
    const number = 'line' in place ? place.line : place.row;
    let [low, high] = [0, this.#merged.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#merged[middle]?.[0] ?? 0) <= number) low = middle;
      else high = middle - 1;
    }
    const [first, last] = this.#merged[low] ?? [0, -1];
    if (number < first || number > last) return false;
    if (this.#unmet.some((range) => contains(range, number))) {
      this.#unmet = this.#unmet.filter((range) => !contains(range, number));
    }
    return true;
  }

  /** @throws {TableError} if a range has no row of the table. */
  refuseUnmet(): void {
    const faults = new FaultList();
    for (const [first, last] of this.#unmet) {
      const range = first === last ? String(first) : `${first}-${last}`;
      const message = `drop_lines names ${range}, where no row of the table begins. Rows are named by line, from 1, in CSV, NDJSON and workbooks, and by index, from 0, in other formats.`;
      faults.add({ message });
    }
    faults.throwIfAny();
  }
}

function contains([first, last]: RowRanges[number], number: number): boolean {
  return first <= number && number <= last;
}
