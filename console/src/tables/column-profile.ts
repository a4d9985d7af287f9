import {
  cellText,
  createReader,
  detectNumberFormat,
  nameIndex,
  PARSING_SHARE,
  parseDate,
  parseNumber,
} from '../../../prediction/src/browser.js';
import type { ColumnKind, TableHead } from './table-head.js';

/** A description of the values at the beginning of a column, read as the service reads them. */
export interface ColumnProfile {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly missingShare: number;
  /** The smallest and the largest number, or the earliest and the latest date in milliseconds. */
  readonly range: readonly [number, number] | null;
  /** The different values and how often they occur, the most frequent first. */
  readonly values: readonly (readonly [string, number])[];
  /** The task that the service would choose for the column. */
  readonly task: 'regression' | 'classification';
  /** True if numbers of the column have a decimal comma. */
  readonly hasDecimalComma: boolean;
}

/** Describes each column of a table by its first rows. */
export function profileColumns({ columns, kinds, rows }: TableHead): ColumnProfile[] {
  return nameIndex(columns).map((name, index) =>
    profile(
      name,
      rows.map((row) => cellText(row[index])),
      kinds?.[index],
    ),
  );
}

function profile(name: string, cells: readonly string[], known?: ColumnKind): ColumnProfile {
  const counts = new Map<string, number>();
  for (const text of cells) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
  const values = [...counts].sort(([, one], [, other]) => other - one);
  const present = values.reduce((sum, [, rows]) => sum + rows, 0);
  const { numbers, dates } = readValues(values, present);
  const share = (read: ReadValues) => (present === 0 ? 0 : read.rows / present);
  const kind = present === 0 ? 'empty' : (known ?? chooseKind(share(numbers), share(dates)));
  return {
    name,
    kind,
    missingShare: 1 - present / Math.max(cells.length, 1),
    range: kind === 'number' ? numbers.range : kind === 'date' ? dates.range : null,
    values,
    // Most values decide about a target, nearly all about an input.
    task: 2 * numbers.rows > present ? 'regression' : 'classification',
    hasDecimalComma: kind === 'number' && values.some(([text]) => /^[+-]?\d*,\d+$/.test(text)),
  };
}

/** Reads plain numbers and ISO dates, or else what all values agree on, such as amounts with a unit. */
function readValues(values: ColumnProfile['values'], present: number) {
  const numbers = readAs(values, parseNumber);
  const dates = readAs(values, parseDate);
  const isPlain = Math.max(numbers.rows, dates.rows) >= PARSING_SHARE * present;
  const reading = isPlain ? null : detectNumberFormat(values.map(([text]) => text));
  if (reading === null || reading.kind === 'undecided') return { numbers, dates };
  const read = readAs(values, createReader(reading.kind, reading));
  return reading.kind === 'number' ? { numbers: read, dates } : { numbers, dates: read };
}

function chooseKind(numbers: number, dates: number): ColumnProfile['kind'] {
  if (numbers >= PARSING_SHARE) return 'number';
  return dates >= PARSING_SHARE ? 'date' : 'category';
}

interface ReadValues {
  readonly rows: number;
  readonly range: readonly [number, number];
}

function readAs(values: ColumnProfile['values'], parse: (text: string) => number): ReadValues {
  let rows = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const [text, count] of values) {
    const value = parse(text);
    if (Number.isNaN(value)) continue;
    rows += count;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return { rows, range: [low, high] };
}
