/** The real table that tests, benches and the mock train from. */
import { readFileSync } from 'node:fs';
import { root } from '../root.js';

/** Ten thousand diamonds, with their prices, as CSV. */
export const diamonds: string = readFileSync(new URL('datasets/diamonds.csv', root), 'utf8');

/** The first diamonds of the table, as CSV. */
export function someDiamonds(count: number): string {
  return diamonds
    .split('\n')
    .slice(0, count + 1)
    .join('\n');
}

/** A hundred diamonds, of which only carat, cut, color and price are told: a model of them is soon trained. */
export const fewDiamonds: string = someDiamonds(100)
  .split('\n')
  .map((line) => line.split(','))
  .map((cells) => [...cells.slice(0, 3), cells[6]].join(','))
  .join('\n');

/** For a training that is interrupted, or looked at, before it ends: a core is busy with it for about a second. */
export const longTable: string = someDiamonds(5000);

/** The diamond that the examples of the contract ask for. */
export const oneDiamond = { carat: 0.7, cut: 'Ideal', color: 'G', price: 2757 };

/** As it is the same for all who ask. */
let slow: string | undefined;

/**
 * A table that takes so long to train from that a request which comes after it finds it training, and is
 * soon sent all the same: few rows, in folds of sixty columns that each matter, for hundreds of rounds. A core
 * is busy with it for seven seconds, so that it is for trainings that nobody waits for.
 */
export function slowTable(): string {
  slow ??= makeSlowTable();
  return slow;
}

function makeSlowTable(): string {
  const columns = [
    'carat',
    'depth',
    ...Array.from({ length: 58 }, (_, index) => `column_${index}`),
  ];
  const rows = Array.from({ length: 1000 }, (_, row) => {
    const cells = columns.map((_, column) => (row * (2 * column + 1) * 7919) % 997);
    return [...cells, cells.reduce((sum, cell) => sum + cell, 0)].join(',');
  });
  return `${[...columns, 'price'].join(',')}\n${rows.join('\n')}\n`;
}

/** A real table, to train with and to predict. */
export interface Table {
  readonly csv: string;
  /** The same as JSON. */
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

/** The first diamonds of the table, or all of them, as CSV and as JSON. */
export function diamondTable(count = Number.POSITIVE_INFINITY): Table {
  const csv = someDiamonds(count).trimEnd();
  const [header = '', ...records] = csv.split('\n');
  const columns = header.split(',');
  // No field of this table is quoted.
  const rows = records.map((record) => {
    const fields = record.split(',');
    return Object.fromEntries(
      columns.map((column, index) => [column, cellOf(fields[index] ?? '')]),
    );
  });
  return { csv, rows };
}

function cellOf(field: string): string | number {
  return field === '' || Number.isNaN(Number(field)) ? field : Number(field);
}
