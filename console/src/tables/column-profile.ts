import {
  cellText,
  createReader,
  nameIndex,
  readNumberText,
  type ShownReading,
  shownReading,
} from 'roster-prediction/browser';
import { guessReading } from './guess-reading.js';
import type { ColumnNote } from './preview.js';
import type { ColumnKind, TableHead } from './table-head.js';

/** A description of the values at the beginning of a column. */
export interface ColumnProfile {
  /** Its place among the columns of the table. */
  readonly index: number;
  readonly name: string;
  /** True of a first column without a name, which numbers or names the rows. */
  readonly isIndex: boolean;
  readonly kind: ColumnKind;
  /** How the texts are read; null for plain values. */
  readonly reading: ShownReading | null;
  readonly missingShare: number;
  /** The texts that count as missing in the rows that the service has read, the most frequent first. */
  readonly missing: ColumnNote['missing'];
  /** The parameters that would decide a column whose meaning nothing shows. */
  readonly alternatives: ColumnNote['alternatives'];
  /** The smallest and the largest number, or the earliest and the latest date in milliseconds. */
  readonly range: readonly [number, number] | null;
  /** The different values and how often they occur, the most frequent first. */
  readonly values: readonly (readonly [string, number])[];
  /** The task that the service would choose for the column. */
  readonly task: 'regression' | 'classification';
  /** True if numbers of the column have a decimal comma. */
  readonly hasDecimalComma: boolean;
}

/**
 * Describes each column of a table by its first rows. Columns without a name and without values are left out, as by a
 * training.
 * @param preview the words of the service, by which the columns are read; without it, their readings are guessed
 */
export function profileColumns(head: TableHead, preview = head.preview): ColumnProfile[] {
  return nameIndex(head.columns)
    .map((name, index) => {
      const cells = head.rows.map((row) => cellText(row[index]));
      return { index, ...profile(name, cells, preview?.columns.get(name), preview?.rowsRead) };
    })
    .filter(({ name, kind }) => name !== '' || kind !== 'empty');
}

function profile(
  name: string,
  cells: readonly string[],
  note?: ColumnNote,
  rowsRead = 0,
): Omit<ColumnProfile, 'index'> {
  // Words that the page has said are missing are texts to the page itself.
  const missing = new Set(note?.missing.map(({ text }) => text)).add('');
  const counts = new Map<string, number>();
  for (const text of cells) if (!missing.has(text)) counts.set(text, (counts.get(text) ?? 0) + 1);
  const values = [...counts].sort(([, one], [, other]) => other - one);
  const present = values.reduce((sum, [, rows]) => sum + rows, 0);
  const guess = note === undefined ? guessReading(values) : null;
  const reading = note === undefined ? shownReading(guess) : (note.reading ?? null);
  const guessed = guess === null || guess.kind === 'undecided' ? 'category' : guess.kind;
  const kind = present === 0 ? 'empty' : (note?.kind ?? guessed);
  const isRange = kind === 'number' || kind === 'date';
  return {
    name,
    isIndex: note?.is_index ?? false,
    kind,
    reading,
    missingShare: findMissingShare(note, rowsRead) ?? 1 - present / Math.max(cells.length, 1),
    missing: note?.missing ?? [],
    alternatives: note?.alternatives ?? [],
    range: isRange ? findRange(values, createReader(kind, reading ?? guess)) : null,
    values,
    // Most values decide about a target, nearly all about an input.
    task: 2 * countNumbers(values) > present || kind === 'number' ? 'regression' : 'classification',
    hasDecimalComma: reading?.kind === 'number' && reading.decimal === ',',
  };
}

function findMissingShare(note: ColumnNote | undefined, rowsRead: number): number | undefined {
  return note && rowsRead > 0 ? note.missing.reduce((sum, { rows }) => sum + rows, 0) / rowsRead : undefined;
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
