import { minRowsOfCategory } from '../trees/params.js';
import { chooseCategories, MAX_CATEGORIES, MAX_CATEGORY_LENGTH } from './categories.js';
import { parseDate, parseNumber } from './cells.js';
import {
  countCodes,
  countValues,
  rowCountOf,
  type ValueCount,
  valuesByCode,
} from './column-counts.js';
import type { ColumnReading } from './reading/column-reading.js';
import { readerOf, tellReading } from './reading/tell-reading.js';
import type { TableColumn, TextColumn, ValueColumn } from './table.js';

/** The summary of an input column. */
export interface ColumnSummary {
  name: string;
  kind: 'number' | 'date' | 'category';
  /** Whether the model learns from the column; if not, it is only echoed. */
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
export interface ColumnProfile {
  summary: ColumnSummary;
  /** Numbers or dates as values, categories as texts. */
  column: TableColumn;
  /** Of a number or a date the distinct values, in ascending order; else none. */
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
  if (column.kind !== 'text') return profileOrdered(column);
  const counts = countCodes(column);
  const ordered =
    readAs('number', parseNumber, column, counts) ?? readAs('date', parseDate, column, counts);
  if (ordered) return profileOrdered(ordered);
  // Texts that are not kept cannot be asked.
  const isWhole = (counts.at(-1) ?? 0) === 0;
  const reading = isWhole ? tellReading(column.texts) : null;
  if (reading !== null && reading.kind !== 'undecided') {
    const { kind } = reading;
    const read = readAs(kind, readerOf(kind, reading), column, counts);
    if (read) return profileOrdered({ ...read, reading });
  }
  const summary = { ...summariseCategories(column, counts, categoryBytes), reading };
  return { summary, column, values: [] };
}

/** A column of texts as values, if nearly all that are present can be read so. */
function readAs(
  kind: ValueColumn['kind'],
  parse: (text: string) => number,
  { name, texts, codes }: TextColumn,
  counts: Uint32Array,
): ValueColumn | undefined {
  const byCode = valuesByCode(texts, counts, parse);
  if (byCode === undefined) return undefined;
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
  };
  return { summary, column, values };
}

/** @param counts the rows of each code. */
function summariseCategories(
  column: TextColumn,
  counts: Uint32Array,
  categoryBytes: number,
): ColumnSummary {
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
  const fewest = minRowsOfCategory(column.codes.length);
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
  const [characters, bytes] = [MAX_CATEGORY_LENGTH, categoryBytes].map((most) =>
    most.toLocaleString('en'),
  );
  return `every value is too long for a category, which has at most ${characters} characters and, in a table of so many columns, ${bytes} bytes of JSON`;
}

function usage(column: TableColumn, known: number, distinct: number) {
  const rowCount = rowCountOf(column);
  let reason: string | null = null;
  if (known === 0) reason = 'every value is missing';
  // One value and gaps still tell two kinds of row apart.
  else if (distinct === 1 && known === rowCount) reason = 'every value is the same';
  return { used: reason === null, reason, missing_share: (rowCount - known) / rowCount };
}
