import { MAX_CATEGORIES } from '../table/categories.js';
import { cellText, parseDate, parseNumber } from '../table/cells.js';
import type { ValueCount } from '../table/column-counts.js';
import type { ColumnSummary } from '../table/column-profile.js';
import { CutGrid } from './cut-grid.js';
import { type DatePart, datePart } from './date-parts.js';

/**
 * Turns the cells of one column into bins, the whole numbers 0 to 255 that trees split on. Bin 0
 * is for missing values. Training and prediction both go through it, so they read cells alike.
 */
export interface Encoder {
  /** How many bins there are, bin 0 among them: at most 256. */
  readonly binCount: number;
  /** The bin of texts that are known only to be none of those of which the encoder was told. */
  readonly binOfOthers: number;
  bin(cell: unknown): number;
}

export const MISSING_BIN = 0;

/** Bins of values, without the one for missing values. */
const MAX_VALUE_BINS = 255;

/** @param part what is read of a date; null for the moment itself, and in other columns. */
export function createEncoder(
  summary: ColumnSummary,
  cuts: readonly number[],
  part: DatePart | null,
): Encoder {
  if (summary.kind === 'category') return new CategoryEncoder(summary.categories ?? []);
  return new OrderedEncoder(cuts, summary.kind === 'date' ? parseDate : parseNumber, part);
}

/** Numbers, dates and their parts: bin b holds the values above cut b − 2 and up to cut b − 1. */
class OrderedEncoder implements Encoder {
  readonly binCount: number;
  readonly binOfOthers = MISSING_BIN;
  readonly #binOf: (value: number) => number;
  readonly #parse: (text: string) => number;

  constructor(cuts: readonly number[], parse: (text: string) => number, part: DatePart | null) {
    this.#binOf = valueBinner(cuts, part);
    this.#parse = parse;
    this.binCount = cuts.length + 2;
  }

  bin(cell: unknown): number {
    const isNumber = typeof cell === 'number' && this.#parse === parseNumber;
    return this.#binOf(isNumber ? cell : this.#parse(cellText(cell)));
  }
}

/**
 * Returns a bin mapper for numbers, or dates in milliseconds; NaN is missing.
 *
 * @param part what is read of a date; null for the moment itself, and for numbers.
 */
export function valueBinner(
  cuts: readonly number[],
  part: DatePart | null,
): (value: number) => number {
  const grid = new CutGrid(cuts);
  return (value) => {
    if (Number.isNaN(value)) return MISSING_BIN;
    return 1 + grid.countBelow(part === null ? value : datePart(part, value));
  };
}

/** Categories: bins 1 up for the known ones, and one more for all others, unseen ones too. */
class CategoryEncoder implements Encoder {
  readonly binCount: number;
  readonly #binOf: ReadonlyMap<string, number>;

  constructor(categories: readonly string[]) {
    const known = categories.slice(0, MAX_CATEGORIES);
    this.#binOf = new Map(known.map((category, index) => [category, index + 1]));
    this.binCount = known.length + 2;
  }

  get binOfOthers(): number {
    return this.binCount - 1;
  }

  bin(cell: unknown): number {
    // As it stands, a text that is known needs no reading.
    const known = typeof cell === 'string' ? this.#binOf.get(cell) : undefined;
    if (known !== undefined) return known;
    const text = cellText(cell);
    return text === '' ? MISSING_BIN : (this.#binOf.get(text) ?? this.binOfOthers);
  }
}

/**
 * Chooses the cuts between the bins of a column: one between any two neighbouring values if they
 * are few, else so that the bins hold about equally many rows.
 *
 * @param values distinct values in ascending order; the first and the last may be infinite.
 * @returns at most 254 finite numbers, strictly ascending.
 */
export function chooseCuts(values: readonly ValueCount[]): number[] {
  const cuts: number[] = [];
  let rowsLeft = values.reduce((sum, { count }) => sum + count, 0);
  let rowsInBin = 0;
  for (const [index, { value, count }] of values.entries()) {
    const next = values[index + 1];
    if (next === undefined) break;
    rowsInBin += count;
    // A value that fills bins by itself leaves fewer rows to the others: share out what is left.
    const binsLeft = MAX_VALUE_BINS - cuts.length;
    const isFull = values.length <= MAX_VALUE_BINS || rowsInBin >= rowsLeft / binsLeft;
    if (!isFull || binsLeft === 1) continue;
    cuts.push(cutBetween(value, next.value));
    rowsLeft -= rowsInBin;
    rowsInBin = 0;
  }
  return cuts;
}

/** A finite number c with low ≤ c < high, half-way where that can be said. */
function cutBetween(low: number, high: number): number {
  if (low === Number.NEGATIVE_INFINITY) return -Number.MAX_VALUE;
  // Half-way to infinity is infinity, and between neighbouring doubles there is nothing.
  const middle = low / 2 + high / 2;
  return low <= middle && middle < high ? middle : low;
}
