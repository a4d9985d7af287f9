import { type TextReader, textReader } from '../../table/cells.js';
import { type ColumnSummary, MAX_CATEGORIES, type ValueCount } from '../../table/column-profile.js';
import { createCellReader } from '../../table/reading/create-reader.js';
import { type DatePart, datePart } from './date-parts.js';

/**
 * Maps the cells of one column to bins, the whole numbers 0 to 255 that trees split on. Bin 0 is
 * for missing values. Training and prediction share it, so that they read cells alike.
 */
export interface Encoder {
  /** The number of bins, including bin 0: at most 256. */
  readonly binCount: number;
  /** The bin of a text that is known only to be none of the encoder's categories. */
  readonly binOfOthers: number;
  /** Finds the bins of numbers and dates; null for categories, and for parts of dates. */
  readonly grid: CutGrid | null;
  /** The texts that have their own bin; none of numbers and dates. */
  readonly texts: readonly string[];
  bin(cell: unknown): number;
  /** Of a column of dates alone: the bin of one in milliseconds since 1970; NaN is missing. */
  readonly binOfTime?: ((time: number) => number) | undefined;
}

export const MISSING_BIN = 0;

/** The most bins for values, without the bin for missing values. */
const MAX_VALUE_BINS = 255;

/** Texts of a column, each with its bin: categories, or values with the bins of the mean targets of their rows. */
export interface ValueBins {
  /** Most frequent first. */
  readonly texts: readonly string[];
  /** By text, from 1. */
  readonly bins: readonly number[];
  /** The bin of all other texts. */
  readonly others: number;
}

/** The fields of a feature that its bins follow from. */
export interface BinnedFeature {
  /** The part of a date that is read; null for the moment itself, and in other columns. */
  readonly part: DatePart | null;
  readonly cuts: readonly number[];
  readonly statistic?: ValueBins;
}

/** Numbers, dates and their parts have bin b for the values above cut b − 2, up to cut b − 1. */
export function createEncoder(summary: ColumnSummary, { cuts, part, statistic }: BinnedFeature): Encoder {
  const { kind, reading, missing_words: words } = summary;
  if (kind === 'category') {
    return new CategoryEncoder(statistic ?? listCategories(summary), textReader(words));
  }
  const grid = new CutGrid(cuts);
  const binOf = gridBinner(grid, part);
  const read = createCellReader(kind, reading, words);
  return {
    binCount: cuts.length + 2,
    binOfOthers: MISSING_BIN,
    grid: part === null ? grid : null,
    texts: [],
    binOfTime: kind === 'date' ? binOf : undefined,
    bin: (cell) => binOf(read(cell)),
  };
}

/**
 * Returns a bin mapper for numbers, or dates in milliseconds; NaN is missing.
 *
 * @param part the part of a date to read; null for the moment itself, and for numbers.
 */
export function valueBinner(cuts: readonly number[], part: DatePart | null): (value: number) => number {
  return gridBinner(new CutGrid(cuts), part);
}

function gridBinner(grid: CutGrid, part: DatePart | null): (value: number) => number {
  return (value) => {
    if (Number.isNaN(value)) return MISSING_BIN;
    return 1 + grid.countBelow(part === null ? value : datePart(part, value));
  };
}

/** Categories have bins from 1 on, and all others one more. */
function listCategories({ categories }: ColumnSummary): ValueBins {
  const texts = (categories ?? []).slice(0, MAX_CATEGORIES);
  return { texts, bins: texts.map((_, index) => index + 1), others: texts.length + 1 };
}

/** Maps texts that have a bin each, and all others. */
class CategoryEncoder implements Encoder {
  readonly texts: readonly string[];
  readonly binCount: number;
  readonly binOfOthers: number;
  readonly grid = null;
  readonly #binOf: ReadonlyMap<string, number>;

  constructor(
    { texts, bins, others }: ValueBins,
    private readonly readText: TextReader,
  ) {
    this.texts = texts;
    this.#binOf = new Map(texts.map((text, index) => [text, bins[index] ?? others]));
    this.binOfOthers = others;
    this.binCount = bins.reduce((most, bin) => Math.max(most, bin), others) + 1;
  }

  bin(cell: unknown): number {
    // A known text needs no parsing.
    const known = typeof cell === 'string' ? this.#binOf.get(cell) : undefined;
    if (known !== undefined) return known;
    const text = this.readText(cell);
    return text === '' ? MISSING_BIN : (this.#binOf.get(text) ?? this.binOfOthers);
  }
}

/**
 * Chooses the cuts between the bins of a column. Puts one cut between any two neighbouring values
 * if there are few, else makes bins with about equally many rows.
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
    // A frequent value fills its own bin: divide the remaining rows among the remaining bins.
    const binsLeft = MAX_VALUE_BINS - cuts.length;
    const isFull = values.length <= MAX_VALUE_BINS || rowsInBin >= rowsLeft / binsLeft;
    if (!isFull || binsLeft === 1) continue;
    cuts.push(cutBetween(value, next.value));
    rowsLeft -= rowsInBin;
    rowsInBin = 0;
  }
  return cuts;
}

/** Returns a finite number c with low ≤ c < high, half-way between them if possible. */
function cutBetween(low: number, high: number): number {
  if (low === Number.NEGATIVE_INFINITY) return -Number.MAX_VALUE;
  // Half-way to infinity is infinity, and no double lies between neighbouring doubles.
  const middle = low / 2 + high / 2;
  return low <= middle && middle < high ? middle : low;
}

/**
 * Counts the cuts below a value. A grid over their range narrows the search to a few cuts. Rounding
 * keeps the order of numbers, so a cut in an earlier field of the grid than the value's is below the
 * value, and a cut in a later one is not.
 */
export class CutGrid {
  readonly cuts: Float64Array;
  readonly #least: number;
  readonly fieldsInUnit: number;
  /** The number of cuts in the fields before each one, with one more entry for the end. */
  readonly cutsBefore: Uint16Array;

  constructor(cuts: readonly number[]) {
    this.cuts = Float64Array.from(cuts);
    const fieldCount = 4 * cuts.length + 1;
    this.#least = cuts[0] ?? 0;
    const range = (cuts.at(-1) ?? 0) - this.#least;
    this.fieldsInUnit = range > 0 && Number.isFinite(range) ? (fieldCount - 1) / range : 0;
    this.cutsBefore = new Uint16Array(fieldCount + 1);
    for (const cut of cuts) this.#count(this.#findField(cut));
    for (let field = 1; field <= fieldCount; field++) {
      this.cutsBefore[field] = (this.cutsBefore[field] ?? 0) + (this.cutsBefore[field - 1] ?? 0);
    }
  }

  /** @param value any number, including infinity. */
  countBelow(value: number): number {
    const cuts = this.cuts;
    const field = this.#findField(value);
    let low = this.cutsBefore[field] ?? 0;
    let high = this.cutsBefore[field + 1] ?? 0;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (value <= (cuts[middle] ?? 0)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #count(field: number): void {
    this.cutsBefore[field + 1] = (this.cutsBefore[field + 1] ?? 0) + 1;
  }

  #findField(value: number): number {
    const field = (value - this.#least) * this.fieldsInUnit;
    if (!(field > 0)) return 0;
    const last = this.cutsBefore.length - 2;
    return field < last ? field | 0 : last;
  }
}
