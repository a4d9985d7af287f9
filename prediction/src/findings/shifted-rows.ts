import { looksLike } from '../table/reading/create-reader.js';
import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable } from './looked-table.js';
import { amongScanned, dropRows, placesOf } from './remedies.js';
import { quantile } from './statistics.js';
import { showCount, showPlaces } from './words.js';

/** The fewest rows and columns that show which values a column has. */
const MIN_ROWS = 50;
const MIN_COLUMNS = 4;

/**
 * The evidence of a cell is the logarithm of how much more usual its value is in the column beside its own. No cell
 * counts for more than the first: a single typing error is none of a line.
 */
const MAX_EVIDENCE = 5;
const STRONG = Math.log(10);

/** The evidence of a line, and the fewest cells with strong evidence, of the columns that differ from those beside them. */
const MIN_EVIDENCE = 9;
const MIN_STRONG = 2;
const MIN_STRONG_SHARE = 0.4;

/** The most strong evidence against, as a part of that in favour. */
const MAX_AGAINST = 0.2;

/** The share of the values of a column up to which a value is rare in it. */
const RARE = 0.01;

/** With more texts, only those outside the usual range are taken for rare. */
const MAX_WEIGHED_TEXTS = 5000;

/** The lines that are suspected first, and that may be shifted, as a share of the rows: more are another kind of row. */
const MAX_SUSPECTS = 2000;
const MAX_SHARE = 0.05;

/** Values are alike if they are apart by so much, as a part of their size, or by so many milliseconds. */
const ALIKE = 0.1;
const ALIKE_DATES = 30 * 86_400_000;

/** A line whose values stand one column too far to the right (1) or to the left (−1). */
interface Shift {
  readonly row: number;
  readonly direction: 1 | -1;
  /** The index of the first column that has the value of the one beside it. */
  readonly from: number;
  readonly evidence: number;
}

/**
 * Finds rows whose values are those of the column beside, from some column to the end of the line: a cell was left out,
 * or is there twice, or a separator in a text was taken for one between cells.
 */
export function findShiftedRows(table: LookedTable): Finding[] {
  const { line, rows } = table;
  if (line === null || line.length < MIN_COLUMNS || rows.length < MIN_ROWS) return [];
  const first = line.map((column) => column && new ColumnShares(column, rows, true));
  const suspects = suspectRows(table, line, first).flatMap((row) => findShift(line, first, row) ?? []);
  if (suspects.length === 0) return [];
  // Shifted rows are not to be what makes their values usual.
  const suspected = new Set(suspects.map(({ row }) => row));
  const others = rows.filter((row) => !suspected.has(row));
  if (others.length < MIN_ROWS) return [];
  const shares = line.map((column) => column && new ColumnShares(column, others, false));
  const found = suspects.flatMap(({ row }) => findShift(line, shares, row) ?? []);
  if (found.length > MAX_SHARE * table.scanned.length) return [];
  return ([1, -1] as const).flatMap((direction) => {
    const shifts = found.filter((shift) => shift.direction === direction);
    return shifts.length === 0 ? [] : [describe(table, line, shifts)];
  });
}

/** Shares of the values of a column. */
class ColumnShares {
  readonly #sorted: Float64Array;
  readonly #counts = new Map<string, number>();
  readonly #total: number;
  readonly #missing: number;
  /** The texts that occur once, as a share of all. */
  readonly #single: number;
  /** The texts that look like a number, a date or neither, as shares of all. */
  readonly #looks = { number: 0, date: 0, text: 0 };
  readonly #own: number;
  readonly middle: number;

  /** @param withOwn whether a row that is judged is one of these, and does not count for itself */
  constructor(
    readonly column: LookedColumn,
    rows: Uint32Array,
    withOwn: boolean,
  ) {
    this.#own = Number(withOwn);
    this.#total = rows.length;
    const isText = column.kind === 'category';
    const values: number[] = [];
    let missing = 0;
    for (const row of rows) {
      const text = isText ? column.textAt(row) : undefined;
      const value = isText ? Number.NaN : column.at(row);
      if (text !== undefined) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
      else if (!Number.isNaN(value)) values.push(value);
      else if (column.textAt(row) === undefined) missing++;
    }
    const present = Math.max(1, rows.length - missing);
    let single = 0;
    for (const [text, count] of this.#counts) {
      if (count === 1) single++;
      this.#looks[lookOf(text)] += count / present;
    }
    this.#sorted = Float64Array.from(values).sort();
    this.#missing = missing;
    this.#single = single / present;
    this.middle = quantile(this.#sorted, 0.5);
  }

  /** The least share that can be judged. */
  get least(): number {
    return 0.5 / this.#total;
  }

  /** Returns the share of values such as that of a cell. */
  shareOf(cell: Cell, isOwn: boolean): number {
    const own = isOwn ? this.#own : 0;
    if (cell.text === undefined) return (this.#missing - own) / this.#total;
    const { kind } = this.column;
    if (kind === 'category') return this.#shareOfText(cell.text, own);
    const value = isOwn ? cell.value : this.column.read(cell.text);
    if (Number.isNaN(value)) return 0;
    const width = kind === 'date' ? ALIKE_DATES : ALIKE * Math.abs(value);
    const alike = firstAbove(this.#sorted, value + width, true) - firstAbove(this.#sorted, value - width, false);
    return (alike - own) / this.#total;
  }

  /** A text that does not occur is as likely as the texts that occur once, of those that look alike. */
  #shareOfText(text: string, own: number): number {
    const count = (this.#counts.get(text) ?? 0) - own;
    if (count > 0) return count / this.#total;
    return this.#single * this.#looks[lookOf(text)];
  }
}

function lookOf(text: string): 'number' | 'date' | 'text' {
  if (looksLike('number', text)) return 'number';
  return looksLike('date', text) ? 'date' : 'text';
}

/** A cell as its own column reads it. */
interface Cell {
  readonly text: string | undefined;
  readonly value: number;
}

function cellOf(column: LookedColumn, row: number): Cell {
  return { text: column.textAt(row), value: column.kind === 'category' ? Number.NaN : column.at(row) };
}

/** Returns the index of the first value above a bound, or not below it. */
function firstAbove(sorted: Float64Array, bound: number, isStrict: boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const value = sorted[middle] ?? 0;
    if (value < bound || (isStrict && value === bound)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Returns the rows of which enough values at the end of the line are rare in their columns. */
function suspectRows(
  { scanned }: LookedTable,
  line: readonly (LookedColumn | undefined)[],
  shares: readonly (ColumnShares | undefined)[],
): number[] {
  const tests = line.map((column, at) => column && rarityOf(column, shares[at]));
  const suspects: number[] = [];
  for (const row of scanned) {
    let [rare, isSuspect] = [0, false];
    for (let at = line.length - 1, length = 1; at >= 0; at--, length++) {
      if (tests[at]?.(row)) rare++;
      // The first cell of those that moved may be usual.
      if (rare >= MIN_STRONG && rare >= MIN_STRONG_SHARE * (length - 1)) isSuspect = true;
    }
    if (isSuspect) suspects.push(row);
  }
  return suspects.length > Math.max(MAX_SUSPECTS, MAX_SHARE * scanned.length) ? [] : suspects;
}

/** Returns whether the value of a row is rare in its column, at little cost a row. */
function rarityOf(column: LookedColumn, shares: ColumnShares | undefined): (row: number) => boolean {
  const { cells, kind, sorted, at } = column;
  const isWeighed = cells.codes !== null && cells.values.length <= MAX_WEIGHED_TEXTS;
  if (isWeighed || kind === 'category') {
    const known = new Map<number, boolean>();
    return (row) => {
      const code = cells.codes?.[row] ?? 0;
      const before = known.get(code);
      if (before !== undefined) return before;
      const isRare = (shares?.shareOf(cellOf(column, row), true) ?? 1) <= RARE;
      known.set(code, isRare);
      return isRare;
    };
  }
  const [low, high] = [quantile(sorted, RARE), quantile(sorted, 1 - RARE)];
  return (row) => {
    const value = at(row);
    return !(value >= low && value <= high);
  };
}

/** Finds the first column from which the values of a row are those of the column beside. */
function findShift(
  line: readonly (LookedColumn | undefined)[],
  shares: readonly (ColumnShares | undefined)[],
  row: number,
): Shift | undefined {
  let best: Shift | undefined;
  for (const direction of [1, -1] as const) {
    // A line that lacks a cell ends in an empty one.
    const last = line.at(-1);
    if (direction === -1 && last !== undefined && last.textAt(row) !== undefined) continue;
    const found = sumFromEnd(line, shares, row, direction);
    if (found && found.evidence > (best?.evidence ?? 0)) best = found;
  }
  return best;
}

function sumFromEnd(
  line: readonly (LookedColumn | undefined)[],
  shares: readonly (ColumnShares | undefined)[],
  row: number,
  direction: 1 | -1,
): Shift | undefined {
  let best: Shift | undefined;
  let [sum, strong, against, compared] = [0, 0, 0, 0];
  let [isLarger, isSmaller] = [false, false];
  const end = direction === 1 ? 0 : -1;
  for (let at = line.length - 1 + Math.min(0, direction); at > end; at--) {
    const [own, beside] = [shares[at], shares[at - direction]];
    if (own === undefined || beside === undefined) continue;
    const cell = cellOf(own.column, row);
    const ratio = (beside.shareOf(cell, false) + beside.least) / (own.shareOf(cell, true) + own.least);
    const evidence = Math.max(-MAX_EVIDENCE, Math.min(MAX_EVIDENCE, Math.log(ratio)));
    sum += evidence;
    if (Math.abs(evidence) > STRONG / 2) compared++;
    if (evidence <= -STRONG) against++;
    if (evidence < STRONG) continue;
    strong++;
    // A row may be large, or small, in all of its columns: a text among numbers, or both directions, are another matter.
    const isNumber = own.column.kind === 'number' && !Number.isNaN(cell.value);
    if (!isNumber || cell.value > own.middle) isLarger = true;
    if (!isNumber || cell.value < own.middle) isSmaller = true;
    const isShift = strong >= MIN_STRONG && strong >= MIN_STRONG_SHARE * compared && against <= MAX_AGAINST * strong;
    if (isShift && isLarger && isSmaller && sum >= MIN_EVIDENCE && sum >= (best?.evidence ?? 0)) {
      best = { row, direction, from: at, evidence: sum };
    }
  }
  return best;
}

function describe(table: LookedTable, line: readonly (LookedColumn | undefined)[], shifts: readonly Shift[]): Finding {
  const rows = shifts.map(({ row }) => row).sort((a, b) => a - b);
  const places = placesOf(table, rows);
  const [first] = [...shifts].sort((one, other) => one.row - other.row);
  const [from, direction] = [first?.from ?? 0, first?.direction ?? 1];
  const [side, other] = direction === 1 ? ['right', 'before'] : ['left', 'behind'];
  const [name, beside] = [line[from]?.name ?? '', line[from - direction]?.name ?? ''];
  const text = first && line[from]?.textAt(first.row);
  const one = rows.length === 1;
  return {
    kind: 'shifted_rows',
    column: null,
    rows: rows.length,
    share: rows.length / table.scanned.length,
    places,
    message: `${one ? 'One row has' : `${showCount(rows.length)} rows have`} values that seem to stand one column too far to the ${side}, up to the end of the line (${showPlaces(places, rows.length)}), of ${amongScanned(table)}. In the first of them, ${text === undefined ? 'the empty cell' : quote(text.slice(0, MAX_TEXT))} in ${quote(name)} fits ${quote(beside)}, the column ${other} it.`,
    effect:
      'The model learns from values of other columns. A cell may be missing, or a separator in a text may lack its quotes: correct the file, or leave out the rows.',
    remedies: dropRows(places, rows.length),
  };
}

/** The most characters of a cell that a message shows. */
const MAX_TEXT = 60;
