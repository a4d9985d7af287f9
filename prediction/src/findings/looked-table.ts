import { PARSING_SHARE, type TableColumn, type TextColumn } from '../table/column.js';
import type { ColumnReading, Place } from '../table/reading/column-reading.js';
import { createReader } from '../table/reading/create-reader.js';
import type { TargetClass } from '../table/table.js';
import { seededRandom } from '../trees/random.js';

/** Limits of the sample that statistics are made of. */
const MAX_SAMPLED_ROWS = 10_000;
const MAX_SAMPLED_CELLS = 2_000_000;

/** The most cells of a table of which every row is looked at for what single rows show. */
const MAX_SCANNED_CELLS = 2_000_000;

/** The first and the last rows are in every sample: rows of totals stand there. */
const ENDS = 5;

const SEED = 108;

/** A column as inspectors look at it. */
export interface LookedColumn {
  readonly name: string;
  readonly kind: 'number' | 'date' | 'category';
  /** Returns the value in a row of the table: a number, a date in milliseconds, or the index of a text; NaN is missing. */
  readonly at: (row: number) => number;
  /** The values of the sampled rows, in their order. */
  readonly sample: Float64Array;
  /** Those of them that are finite, ascending. */
  readonly sorted: Float64Array;
  /** The texts of a category; texts that were too many to keep share one further index. Empty for other kinds. */
  readonly texts: readonly string[];
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
  /** True if more rows may follow those of the table, as in a preview. */
  readonly isBeginning: boolean;
  /** Returns the place of a row in the text of the sender. */
  readonly placeOf: (row: number) => Place;
}

/** Chooses the rows that are looked at: all, or a random sample with the first and the last ones, from a fixed seed. */
export function sampleRows(rowCount: number, columnCount: number): Uint32Array {
  const most = Math.min(MAX_SAMPLED_ROWS, Math.ceil(MAX_SAMPLED_CELLS / Math.max(1, columnCount)));
  if (rowCount <= most) return Uint32Array.from({ length: rowCount }, (_, row) => row);
  const random = seededRandom(SEED);
  const inner = rowCount - 2 * ENDS;
  const rows: number[] = [];
  // Selection sampling (Knuth, The Art of Computer Programming 2, algorithm S) keeps the order of the rows.
  let wanted = most - 2 * ENDS;
  for (let row = 0; row < rowCount; row++) {
    if (row < ENDS || row >= rowCount - ENDS) rows.push(row);
    else if (random() * (inner - (row - ENDS)) < wanted) {
      rows.push(row);
      wanted--;
    }
  }
  return Uint32Array.from(rows);
}

/** Returns the rows that are looked at one by one, given those of the sample. */
export function scanRows(rowCount: number, columnCount: number, sampled: Uint32Array): Uint32Array {
  if (rowCount * Math.max(1, columnCount) > MAX_SCANNED_CELLS) return sampled;
  return Uint32Array.from({ length: rowCount }, (_, row) => row);
}

/** Looks at a column of a table in the kind that its values have. */
export function lookAtColumn(column: TableColumn, rows: Uint32Array): LookedColumn {
  if (column.kind !== 'text') return describe(column.name, column.kind, reader(column.values), [], rows);
  const { name, texts, codes, reading, chosen } = column;
  const values = chosen === 'category' || !reading ? undefined : readTexts(column, reading);
  if (values !== undefined && reading && reading.kind !== 'undecided') {
    const at = (row: number) => values[codes[row] ?? 0] ?? Number.NaN;
    return describe(name, reading.kind, at, [], rows);
  }
  const at = (row: number) => (codes[row] || Number.NaN) - 1;
  return describe(name, 'category', at, texts, rows);
}

/** Returns the value of each code; undefined if the texts are categories. */
function readTexts({ texts, codes }: TextColumn, reading: ColumnReading): Float64Array | undefined {
  if (reading.kind === 'undecided') return undefined;
  const read = createReader(reading.kind, reading);
  const values = Float64Array.from([Number.NaN, ...texts.map(read)]);
  let [present, parsing] = [0, 0];
  for (const code of codes) {
    if (code === 0) continue;
    present++;
    if (!Number.isNaN(values[code])) parsing++;
  }
  return parsing >= PARSING_SHARE * present ? values : undefined;
}

function reader(values: Float64Array) {
  return (row: number) => values[row] ?? Number.NaN;
}

export function lookAtTarget(
  name: string,
  { values, classes }: { values: Float64Array | Uint16Array; classes: readonly TargetClass[] | null },
  rows: Uint32Array,
): LookedTarget {
  const texts = classes?.map((each) => each.name) ?? [];
  const at = (row: number) => values[row] ?? Number.NaN;
  return { ...describe(name, classes ? 'category' : 'number', at, texts, rows), classes };
}

function describe(
  name: string,
  kind: LookedColumn['kind'],
  at: (row: number) => number,
  texts: readonly string[],
  rows: Uint32Array,
): LookedColumn {
  const sample = new Float64Array(rows.length);
  for (const [index, row] of rows.entries()) sample[index] = at(row);
  // NaN is sorted to the end.
  const sorted = sample.toSorted();
  let present = sorted.length;
  while (present > 0 && Number.isNaN(sorted[present - 1])) present--;
  let distinct = 0;
  for (let index = 0; index < present; index++) if (index === 0 || sorted[index] !== sorted[index - 1]) distinct++;
  const finite = sorted.subarray(0, present).filter(Number.isFinite);
  const isIdentifier = kind === 'category' && distinct > 0.95 * present;
  return { name, kind, at, sample, sorted: finite, texts, distinct, present, isIdentifier };
}
