import {
  type ColumnChoice,
  isPassedOver,
  PARSING_SHARE,
  type TableColumn,
  type TextColumn,
  type ValueColumn,
} from './column.js';
import type { ColumnReading } from './reading/column-reading.js';
import { decideColumn } from './reading/decide-column.js';
import { readTextValues } from './text-values.js';

/** The summary of an input column. */
export interface ColumnSummary {
  name: string;
  kind: 'number' | 'date' | 'category';
  /** True if the model learns from the column; if not, it is only echoed. */
  used: boolean;
  /** The reason why the column is not used; null if it is. */
  reason: string | null;
  /** Share of the rows, 0 to 1, in which the column gives the model no value. */
  missing_share: number;
  /** The smallest finite number, or the earliest date in ISO 8601; null for categories. */
  min: number | string | null;
  /** The largest finite number, or the latest date in ISO 8601; null for categories. */
  max: number | string | null;
  /** The categories that `chooseCategories` keeps, most frequent first; null for numbers and dates. */
  categories: string[] | null;
  /** The form in which its values are read; null for plain numbers, ISO dates and plain categories. */
  reading: ColumnReading | null;
  /** The importance of the column; null if it is not used. */
  importance: Importance | null;
  /** The chosen use of the column; absent where its values decided. */
  chosen?: ColumnChoice;
  /** The words that count as missing in the column; absent in models of releases that did not list them. */
  missing_words?: readonly string[];
}

export interface Importance {
  /** The column's share, 0 to 1, of all by which the trees' splits lowered the squared error. */
  gain: number;
  /**
   * By how much the RMSE on rows that the trees have not seen grows when the column's values are
   * shuffled among them, in units of the target. Chance may take it a little below 0.
   */
  permutation: number;
}

/** A column's summary, and the column as it is to be read. */
interface ColumnProfile {
  summary: ColumnSummary;
  /** Numbers or dates as values, categories as texts. */
  column: TableColumn;
  /** For a number or a date, the distinct values in ascending order; else none. */
  values: ValueCount[];
}

/** Text of which more than this share is distinct names its rows, and says nothing of new ones. */
const IDENTIFIER_SHARE = 0.95;

/**
 * Finds out what a column holds: numbers, dates or categories, and whether they can be used.
 *
 * @param categoryBytes the most bytes of JSON that its categories may take.
 */
export function profileColumn(column: TableColumn, categoryBytes: number): ColumnProfile {
  const profile = profileValues(column, categoryBytes);
  if (column.missing === undefined) return profile;
  return { ...profile, summary: { ...profile.summary, missing_words: column.missing.words } };
}

function profileValues(column: TableColumn, categoryBytes: number): ColumnProfile {
  if (column.kind !== 'text') return profileOrdered(column);
  if (isPassedOver(column.chosen)) return profileUnused(column, column.chosen);
  const counts = countCodes(column);
  if (column.chosen === 'category') {
    const summary = { ...summariseCategories(column, counts, categoryBytes), chosen: column.chosen };
    return { summary, column, values: [] };
  }
  const reading = column.reading === undefined ? decideTexts(column, counts) : column.reading;
  if (reading !== null && reading.kind !== 'undecided') {
    const { kind } = reading;
    const read = readAs(kind, readTextValues(column.texts, kind, reading), column, counts);
    if (read) return profileOrdered({ ...read, reading });
  }
  const summary = { ...summariseCategories(column, counts, categoryBytes) };
  if (reading?.kind !== 'undecided') return { summary, column, values: [] };
  if (!summary.used && summary.missing_share < 1) summary.reason = reading.reason;
  return { summary: { ...summary, reading }, column, values: [] };
}

/** Decides about the texts of a table that an earlier release has stored, unless some of them are not kept. */
function decideTexts({ texts }: TextColumn, counts: Uint32Array): ColumnReading | null {
  if ((counts.at(-1) ?? 0) > 0) return null;
  return decideColumn(texts.map((text, index) => [text, counts[index + 1] ?? 0]));
}

/** Why a column is not used that its sender, or its place in the table, leaves out. */
export const UNUSED = {
  unused: 'the training left it out (exclude)',
  index: 'it is the first column and has no name, as one that numbers or names the rows',
};

function profileUnused(column: TextColumn, use: keyof typeof UNUSED): ColumnProfile {
  const summary: ColumnSummary = {
    name: column.name,
    kind: 'category',
    used: false,
    reason: UNUSED[use],
    missing_share: 1,
    min: null,
    max: null,
    categories: null,
    reading: null,
    importance: null,
    ...(use === 'unused' && { chosen: use }),
  };
  return { summary, column, values: [] };
}

/** A column of texts as values, if nearly all that are present can be read so. */
function readAs(
  kind: ValueColumn['kind'],
  byCode: Float64Array,
  { name, codes }: TextColumn,
  counts: Uint32Array,
): ValueColumn | undefined {
  if (!areMostlyValues(byCode, counts)) return undefined;
  const values = new Float64Array(codes.length);
  for (let row = 0; row < codes.length; row++) values[row] = byCode[codes[row] ?? 0] ?? Number.NaN;
  return { kind, name, values };
}

function profileOrdered(column: ValueColumn): ColumnProfile {
  const values = countValues(column.values);
  const finite = values.filter(({ value }) => Number.isFinite(value));
  const show = (value: number | undefined) => {
    if (value === undefined) return null;
    return column.kind === 'date' ? new Date(value).toISOString() : value;
  };
  const known = values.reduce((sum, { count }) => sum + count, 0);
  const summary: ColumnSummary = {
    name: column.name,
    kind: column.kind,
    ...usage(column, known, values.length),
    min: show(finite[0]?.value),
    max: show(finite.at(-1)?.value),
    categories: null,
    reading: column.reading ?? null,
    importance: null,
    ...(column.chosen && { chosen: column.chosen }),
  };
  return { summary, column, values };
}

/** @param counts the rows of each code. */
/** Returns the fewest rows of a leaf of trees for values: LightGBM's default, and fewer in small tables. */
export function minRowsPerLeaf(rowCount: number): number {
  return Math.min(20, Math.max(5, Math.round(rowCount / 25)));
}

function summariseCategories(column: TextColumn, counts: Uint32Array, categoryBytes: number): ColumnSummary {
  const present = column.codes.length - (counts[0] ?? 0);
  // The number of other texts is not known; this is the most.
  const others = counts.at(-1) ?? 0;
  const distinct = column.texts.length + others;
  const use = usage(column, present, distinct);
  if (use.used && distinct > IDENTIFIER_SHARE * present) {
    use.used = false;
    use.reason = 'nearly every value is different, as in an identifier';
  }
  const byFrequency = column.texts
    .map((text, index) => ({ text, count: counts[index + 1] ?? 0 }))
    .sort((a, b) => b.count - a.count);
  // The fewest that trees can tell from the others, or that say something of each other.
  const fewest = Math.min(MIN_REPEATED_ROWS, minRowsPerLeaf(column.codes.length) / 2);
  if (use.used && distinct > MAX_CATEGORIES && (byFrequency[0]?.count ?? 0) < fewest) {
    use.used = false;
    use.reason = `no value is in more than ${byFrequency[0]?.count} rows, too few to learn from`;
  }
  const categories = use.used
    ? chooseCategories(
        byFrequency.map(({ text }) => text),
        categoryBytes,
      )
    : null;
  if (categories?.length === 0) {
    use.used = false;
    use.reason = tooLong(categoryBytes);
  }
  return {
    name: column.name,
    kind: 'category',
    ...use,
    min: null,
    max: null,
    categories: use.used ? categories : null,
    reading: null,
    importance: null,
  };
}

function tooLong(categoryBytes: number): string {
  const [characters, bytes] = [MAX_CATEGORY_LENGTH, categoryBytes].map((most) => most.toLocaleString('en'));
  return `every value is too long for a category, which has at most ${characters} characters and, in a table of so many columns, ${bytes} bytes of JSON`;
}

function usage(column: TableColumn, known: number, distinct: number) {
  const rowCount = countRows(column);
  let reason: string | null = null;
  if (known === 0) reason = noValue(column);
  // One value and gaps still distinguish two kinds of row.
  else if (distinct === 1 && known === rowCount) reason = 'every value is the same';
  return { used: reason === null, reason, missing_share: (rowCount - known) / rowCount };
}

function noValue({ kind, chosen, reading }: TableColumn): string {
  if (reading?.kind === 'undecided') return reading.reason;
  const isRead = kind !== 'text' && chosen !== undefined;
  return isRead ? `no value can be read as a ${kind}` : 'every value is missing';
}

/** A distinct value of a column and the number of its rows. */
export interface ValueCount {
  value: number;
  count: number;
}

function countRows(column: TableColumn): number {
  return column.kind === 'text' ? column.codes.length : column.values.length;
}

/** Returns the rows of each code: of missing cells, of each text, and last of the others. */
export function countCodes({ texts, codes }: Pick<TextColumn, 'texts' | 'codes'>): Uint32Array {
  const counts = new Uint32Array(texts.length + 2);
  for (let row = 0; row < codes.length; row++) {
    const code = codes[row] ?? 0;
    counts[code] = (counts[code] ?? 0) + 1;
  }
  return counts;
}

/**
 * Returns whether enough of the present cells of a column are values.
 *
 * @param values of the codes of its texts, as `readTextValues` returns them.
 * @param counts the rows of each code; code 0 is missing, those beyond the texts are others.
 */
export function areMostlyValues(values: Float64Array, counts: Uint32Array): boolean {
  let [present, parsing] = [0, 0];
  for (let code = 1; code < counts.length; code++) {
    const rows = counts[code] ?? 0;
    present += rows;
    if (!Number.isNaN(values[code])) parsing += rows;
  }
  return parsing > 0 && parsing >= PARSING_SHARE * present;
}

/** Returns the distinct values, without NaN, in ascending order. */
export function countValues(values: Float64Array): ValueCount[] {
  const counts: ValueCount[] = [];
  let last: ValueCount | undefined;
  // NaN is sorted to the end.
  for (const value of values.toSorted()) {
    if (Number.isNaN(value)) break;
    if (last?.value === value) {
      last.count++;
      continue;
    }
    last = { value, count: 1 };
    counts.push(last);
  }
  return counts;
}

/** A column of many values is used if one of them has so many rows: fewer would be summarised by next to nothing. */
const MIN_REPEATED_ROWS = 3;

/** One of the 256 bins is for missing values, one for all of the other categories. */
export const MAX_CATEGORIES = 254;

/** The most characters of a category; longer texts are prose, and each answer of a model lists its categories. */
const MAX_CATEGORY_LENGTH = 1000;

/** The most bytes that the categories of all columns of a model take in JSON. */
export const CATEGORY_BYTES = 4 * 1024 * 1024;

/** The equal share of `CATEGORY_BYTES` that each of so many columns has. */
export function categoryShare(columnCount: number): number {
  return Math.floor(CATEGORY_BYTES / Math.max(columnCount, 1));
}

/**
 * Chooses the texts of a column that become categories; all others count as one. The first texts go
 * first, and one that is too long, or for which no room is left, is passed over.
 *
 * @param texts the distinct texts, most frequent first.
 * @param bytes the room for all of them, with commas between them, in bytes of JSON in UTF-8.
 * @returns at most `MAX_CATEGORIES` texts, in their order.
 */
export function chooseCategories(texts: Iterable<string>, bytes: number): string[] {
  const chosen: string[] = [];
  let room = bytes;
  for (const text of texts) {
    if (chosen.length === MAX_CATEGORIES) break;
    if (text.length > MAX_CATEGORY_LENGTH || text.length > room) continue;
    const size = Buffer.byteLength(JSON.stringify(text)) + 1;
    if (size > room) continue;
    chosen.push(text);
    room -= size;
  }
  return chosen;
}
