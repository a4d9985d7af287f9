import { parseDate, parseNumber } from './cells.js';
import { countTexts, countValues, rowCountOf, type ValueCount } from './column-counts.js';
import { fewestOfCategory } from './growth.js';
import { PARSING_SHARE, type TableColumn, type TextColumn } from './table.js';

/** What a model knows of one input column. */
export interface ColumnSummary {
  name: string;
  kind: 'number' | 'date' | 'category';
  /** Whether the model learns from the column; if not, it is only echoed. */
  used: boolean;
  /** Why the column is not used; null if it is. */
  reason: string | null;
  /** Share of the rows, 0 to 1, in which the column gives the model no value. */
  missing_share: number;
  /** The smallest finite number, or the earliest date in ISO 8601; null for categories. */
  min: number | string | null;
  /** The largest finite number, or the latest date in ISO 8601; null for categories. */
  max: number | string | null;
  /** The categories, most frequent first, at most 254; null for numbers and dates. */
  categories: string[] | null;
  /** What the model makes of the column; null if it is not used, or if an old model never asked. */
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

/** A column's summary, and for a number or a date its distinct values in ascending order. */
export interface ColumnProfile {
  summary: ColumnSummary;
  values: ValueCount[];
}

/** One of the 256 bins is for missing values, one for all of the other categories. */
export const MOST_CATEGORIES = 254;

/** Text of which more than this share is distinct names its rows, and says nothing of new ones. */
const IDENTIFIER_SHARE = 0.95;

/** Finds out what a column holds: numbers, dates or categories, and whether they can be used. */
export function profileColumn(column: TableColumn): ColumnProfile {
  if (column.kind !== 'text') {
    return profileOrdered(column, column.kind, countValues(column.values));
  }
  const { byText: counts, others } = countTexts(column);
  const present = counts.reduce((sum, count) => sum + count, others);
  const numbers = parsedValues(column.texts, counts, parseNumber);
  if (present > 0 && rowsOf(numbers) >= PARSING_SHARE * present) {
    return profileOrdered(column, 'number', numbers);
  }
  const dates = parsedValues(column.texts, counts, parseDate);
  if (present > 0 && rowsOf(dates) >= PARSING_SHARE * present) {
    return profileOrdered(column, 'date', dates);
  }
  return { summary: summariseCategories(column, counts, present, others), values: [] };
}

function rowsOf(values: readonly ValueCount[]): number {
  return values.reduce((sum, { count }) => sum + count, 0);
}

function parsedValues(
  texts: readonly string[],
  counts: Uint32Array,
  parse: (text: string) => number,
): ValueCount[] {
  const rowsByValue = new Map<number, number>();
  for (const [index, text] of texts.entries()) {
    const value = parse(text);
    if (Number.isNaN(value)) continue;
    rowsByValue.set(value, (rowsByValue.get(value) ?? 0) + (counts[index] ?? 0));
  }
  return [...rowsByValue]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => (a.value < b.value ? -1 : 1));
}

function profileOrdered(
  column: TableColumn,
  kind: 'number' | 'date',
  values: ValueCount[],
): ColumnProfile {
  const finite = values.filter(({ value }) => Number.isFinite(value));
  const show = (value: number | undefined) => {
    if (value === undefined) return null;
    return kind === 'date' ? new Date(value).toISOString() : value;
  };
  const known = rowsOf(values);
  const summary: ColumnSummary = {
    name: column.name,
    kind,
    ...usage(column, known, values.length),
    min: show(finite[0]?.value),
    max: show(finite.at(-1)?.value),
    categories: null,
    importance: null,
  };
  return { summary, values };
}

function summariseCategories(
  column: TextColumn,
  counts: Uint32Array,
  present: number,
  others: number,
): ColumnSummary {
  const distinct = column.texts.length + others;
  const use = usage(column, present, distinct);
  if (use.used && distinct > IDENTIFIER_SHARE * present) {
    use.used = false;
    use.reason = 'nearly every value is different, as in an identifier';
  }
  const byFrequency = column.texts
    .map((text, index) => ({ text, count: counts[index] ?? 0 }))
    .sort((a, b) => b.count - a.count);
  const fewest = fewestOfCategory(column.codes.length);
  if (use.used && distinct > MOST_CATEGORIES && (byFrequency[0]?.count ?? 0) < fewest) {
    use.used = false;
    use.reason = `no value is in more than ${byFrequency[0]?.count} rows, too few to learn from`;
  }
  return {
    name: column.name,
    kind: 'category',
    ...use,
    min: null,
    max: null,
    categories: use.used ? byFrequency.slice(0, MOST_CATEGORIES).map(({ text }) => text) : null,
    importance: null,
  };
}

function usage(column: TableColumn, known: number, distinct: number) {
  const rowCount = rowCountOf(column);
  let reason: string | null = null;
  if (known === 0) reason = 'every value is missing';
  // One value and gaps still tell two kinds of row apart.
  else if (distinct === 1 && known === rowCount) reason = 'every value is the same';
  return { used: reason === null, reason, missing_share: (rowCount - known) / rowCount };
}
