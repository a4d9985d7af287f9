import {
  cellText,
  createReader,
  decideColumn,
  nameIndex,
  readNumberText,
  type ShownReading,
  shownReading,
} from 'roster-prediction/browser';
import type { ColumnKind, TableHead } from './table-head.js';

/** A description of the values at the beginning of a column, read as the service reads them. */
export interface ColumnProfile {
  readonly name: string;
  readonly kind: ColumnKind;
  /** How the texts are read; null for plain values. */
  readonly reading: ShownReading | null;
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
export function profileColumns({ columns, kinds, readings, rows }: TableHead): ColumnProfile[] {
  return nameIndex(columns).map((name, index) => {
    const cells = rows.map((row) => cellText(row[index]));
    return profile(name, cells, kinds?.[index], readings?.[index]);
  });
}

function profile(
  name: string,
  cells: readonly string[],
  known?: ColumnKind,
  knownReading?: ShownReading | null,
): ColumnProfile {
  const counts = new Map<string, number>();
  for (const text of cells) if (text !== '') counts.set(text, (counts.get(text) ?? 0) + 1);
  const values = [...counts].sort(([, one], [, other]) => other - one);
  const present = values.reduce((sum, [, rows]) => sum + rows, 0);
  // In the order of the rows, so that a reason names the first examples.
  const found = present === 0 ? null : decideColumn([...counts]);
  const reading = known === undefined ? shownReading(found) : (knownReading ?? null);
  const decided = found === null || found.kind === 'undecided' ? 'category' : found.kind;
  const kind = present === 0 ? 'empty' : (known ?? decided);
  const isRange = kind === 'number' || kind === 'date';
  return {
    name,
    kind,
    reading,
    missingShare: 1 - present / Math.max(cells.length, 1),
    range: isRange ? findRange(values, createReader(kind, reading ?? found)) : null,
    values,
    // Most values decide about a target, nearly all about an input.
    task: 2 * countNumbers(values) > present || kind === 'number' ? 'regression' : 'classification',
    hasDecimalComma: reading?.kind === 'number' && reading.decimal === ',',
  };
}

function countNumbers(values: ColumnProfile['values']): number {
  return values.reduce((sum, [text, rows]) => {
    return readNumberText(text)?.unit === null ? sum + rows : sum;
  }, 0);
}

function findRange(values: ColumnProfile['values'], read: (text: string) => number): readonly [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const [text] of values) {
    const value = read(text);
    if (Number.isNaN(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return [low, high];
}
