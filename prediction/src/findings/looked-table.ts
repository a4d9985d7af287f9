import type { TableColumn, TextColumn } from '../table/column.js';
import { areMostlyValues, countCodes } from '../table/column-profile.js';
import {
  type ColumnReading,
  ISO_DATES,
  type NumberReading,
  PLAIN_NUMBERS,
  type Place,
} from '../table/reading/column-reading.js';
import { createReader } from '../table/reading/create-reader.js';
import type { TargetClass } from '../table/table.js';
import { readTextValues } from '../table/text-values.js';
import { seededRandom } from '../trees/random.js';

/** Limits of the sample that statistics are made of. */
const MAX_SAMPLED_ROWS = 10_000;
const MAX_SAMPLED_CELLS = 2_000_000;

/** The most cells of a table of which every row is looked at for what single rows show. */
const MAX_SCANNED_CELLS = 2_000_000;

/** The first and the last rows are in every sample: rows of totals stand there. */
const ENDS = 5;

const SEED = 108;

/** The last moment of a Date (ECMAScript), in milliseconds since 1970. */
export const MAX_DATE = 8.64e15;

/** The cells of a column: its values by row, or by the code that each row has. */
export interface LookedCells {
  readonly codes: Uint16Array | null;
  readonly values: Float64Array;
}

/** A column as inspectors look at it. */
export interface LookedColumn {
  readonly name: string;
  readonly kind: 'number' | 'date' | 'category';
  readonly cells: LookedCells;
  /** Returns the value in a row of the table: a number, a date in milliseconds, or the index of a text; NaN is missing. */
  readonly at: (row: number) => number;
  /** The values of the sampled rows, in their order. */
  readonly sample: Float64Array;
  /** Those of them that are finite, ascending. */
  readonly sorted: Float64Array;
  /** The texts of a category; texts that were too many to keep share one further index. Empty for other kinds. */
  readonly texts: readonly string[];
  /** Returns the text of a cell, and a number as a text; undefined if it is missing or was not kept. */
  readonly textAt: (row: number) => string | undefined;
  /** Returns the value of a text as this column would read it; NaN if it is none, and for categories. */
  readonly read: (text: string) => number;
  /** The number of different values in the sample. */
  readonly distinct: number;
  /** The rows of the sample that have a value. */
  readonly present: number;
  /** True if every value of a category is different, as in an identifier. */
  readonly isIdentifier: boolean;
}

export interface LookedTarget extends LookedColumn {
  /** The classes, the most frequent first, whose index is the value of a row; null if the target is a number. */
  readonly classes: readonly TargetClass[] | null;
}

/** A table, and a sample of its rows. */
export interface LookedTable {
  readonly rowCount: number;
  /** The sampled rows, ascending; all of a small table. */
  readonly rows: Uint32Array;
  /** The rows that are looked at one by one: all, or those of the sample if the table has many cells. */
  readonly scanned: Uint32Array;
  readonly columns: readonly LookedColumn[];
  /** Null in a preview without a target. */
  readonly target: LookedTarget | null;
  /**
   * All columns in the order in which the cells of a row were written, the target among them; undefined where one was
   * not looked at. Null for formats whose cells name their columns.
   */
  readonly line: readonly (LookedColumn | undefined)[] | null;
  /** True if more rows may follow those of the table, as in a preview. */
  readonly isBeginning: boolean;
  /** Returns the place of a row in the text of the sender. */
  readonly placeOf: (row: number) => Place;
}

/** Chooses the rows that are looked at: all, or a random sample with the first and the last ones, from a fixed seed. */
export function sampleRows(rowCount: number, columnCount: number): Uint32Array {
  const most = Math.min(MAX_SAMPLED_ROWS, Math.ceil(MAX_SAMPLED_CELLS / Math.max(1, columnCount)));
  if (rowCount <= most) return allRows(rowCount);
  const random = seededRandom(SEED);
  const inner = rowCount - 2 * ENDS;
  const rows = new Uint32Array(most);
  let size = 0;
  // Selection sampling (Knuth, The Art of Computer Programming 2, algorithm S) keeps the order of the rows.
  let wanted = most - 2 * ENDS;
  for (let row = 0; row < rowCount; row++) {
    if (row < ENDS || row >= rowCount - ENDS) rows[size++] = row;
    else if (random() * (inner - (row - ENDS)) < wanted) {
      rows[size++] = row;
      wanted--;
    }
  }
  return rows.subarray(0, size);
}

function allRows(rowCount: number): Uint32Array {
  const rows = new Uint32Array(rowCount);
  for (let row = 0; row < rowCount; row++) rows[row] = row;
  return rows;
}

/** Returns the rows that are looked at one by one, given those of the sample. */
export function scanRows(rowCount: number, columnCount: number, sampled: Uint32Array): Uint32Array {
  if (rowCount * Math.max(1, columnCount) > MAX_SCANNED_CELLS) return sampled;
  return allRows(rowCount);
}

/** Looks at a column of a table in the kind that its values have. */
export function lookAtColumn(column: TableColumn, rows: Uint32Array): LookedColumn {
  if (column.kind !== 'text') {
    const { name, kind, values } = column;
    const read = createReader(kind, column.reading ?? (kind === 'number' ? PLAIN_NUMBERS : ISO_DATES));
    return describe(name, kind, { codes: null, values }, [], rows, { read });
  }
  const { name, texts, codes, reading, chosen } = column;
  const textAt = (row: number) => texts[(codes[row] ?? 0) - 1];
  const values = chosen === 'category' || !reading ? undefined : readTexts(column, reading);
  if (values !== undefined && reading && reading.kind !== 'undecided') {
    const read = createReader(reading.kind, reading);
    return describe(name, reading.kind, { codes, values }, [], rows, { textAt, read });
  }
  return describe(name, 'category', { codes, values: indexes(-1, texts.length + 2) }, texts, rows, { textAt });
}

/** Returns whole numbers from −1, in which NaN stands for −1, or from 0. */
function indexes(first: -1 | 0, count: number): Float64Array {
  const values = new Float64Array(count);
  for (let at = 0; at < count; at++) values[at] = first + at;
  if (first < 0) values[0] = Number.NaN;
  return values;
}

/** Returns the value of each code; undefined if the texts are categories. */
function readTexts(column: TextColumn, reading: ColumnReading): Float64Array | undefined {
  if (reading.kind === 'undecided') return undefined;
  const values = readTextValues(column.texts, reading.kind, reading);
  return areMostlyValues(values, countCodes(column)) ? values : undefined;
}

export function lookAtTarget(
  name: string,
  { values, classes }: { values: Float64Array | Uint16Array; classes: readonly TargetClass[] | null },
  rows: Uint32Array,
  reading?: NumberReading,
): LookedTarget {
  const texts = classes?.map((each) => each.name) ?? [];
  const cells =
    values instanceof Uint16Array ? { codes: values, values: indexes(0, texts.length) } : { codes: null, values };
  const texted = classes
    ? { textAt: (row: number) => texts[values[row] ?? -1] }
    : { read: createReader('number', reading ?? PLAIN_NUMBERS) };
  return { ...describe(name, classes ? 'category' : 'number', cells, texts, rows, texted), classes };
}

/** Looks at numbers that are no column of the table. */
export function describeValues(name: string, values: Float64Array, rows: Uint32Array): LookedColumn {
  return describe(name, 'number', { codes: null, values }, [], rows);
}

function describe(
  name: string,
  kind: LookedColumn['kind'],
  cells: LookedCells,
  texts: readonly string[],
  rows: Uint32Array,
  texted: Partial<Pick<LookedColumn, 'textAt' | 'read'>> = {},
): LookedColumn {
  const { codes, values } = cells;
  const at = (row: number) => (codes === null ? values[row] : values[codes[row] ?? 0]) ?? Number.NaN;
  const { textAt = (row: number) => showCell(at(row), kind), read = () => Number.NaN } = texted;
  const sample = new Float64Array(rows.length);
  for (let index = 0; index < rows.length; index++) sample[index] = at(rows[index] ?? 0);
  // NaN is sorted to the end.
  const sorted = sample.toSorted();
  let present = sorted.length;
  while (present > 0 && Number.isNaN(sorted[present - 1])) present--;
  let distinct = 0;
  for (let index = 0; index < present; index++) if (index === 0 || sorted[index] !== sorted[index - 1]) distinct++;
  let [start, end] = [0, present];
  while (start < end && sorted[start] === Number.NEGATIVE_INFINITY) start++;
  while (end > start && sorted[end - 1] === Number.POSITIVE_INFINITY) end--;
  const finite = sorted.subarray(start, end);
  const isIdentifier = kind === 'category' && distinct > 0.95 * present;
  return { name, kind, cells, at, sample, sorted: finite, texts, textAt, read, distinct, present, isIdentifier };
}

function showCell(value: number, kind: LookedColumn['kind']): string | undefined {
  if (Number.isNaN(value)) return undefined;
  return kind === 'date' && Math.abs(value) <= MAX_DATE ? new Date(value).toISOString() : String(value);
}

/** Returns the smallest and the largest finite value of a column in all rows; infinite bounds without any. */
export function boundsOf({ cells: { values } }: LookedColumn): readonly [low: number, high: number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    if (value < low && value !== Number.NEGATIVE_INFINITY) low = value;
    if (value > high && value !== Number.POSITIVE_INFINITY) high = value;
  }
  return [low, high];
}
