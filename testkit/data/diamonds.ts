/** The real table that tests, benches and the mock train with. */
import { readFileSync } from 'node:fs';
import Papa from 'papaparse';
import { root } from '../root.js';

/** Ten thousand diamonds, with their prices, as CSV. */
export const diamonds: string = readFileSync(new URL('datasets/diamonds.csv', root), 'utf8');

/** Returns the first diamonds of the table, as CSV. */
export function someDiamonds(count: number): string {
  return diamonds
    .split('\n')
    .slice(0, count + 1)
    .join('\n');
}

/** A hundred diamonds with only carat, cut, color and price, which train fast. */
export const fewDiamonds: string = someDiamonds(100)
  .split('\n')
  .map((line) => line.split(','))
  .map((cells) => [...cells.slice(0, 3), cells[6]].join(','))
  .join('\n');

/** A table for a training that is interrupted or observed; it takes a core about a second. */
export const longTable: string = someDiamonds(5000);

/** The diamond in the examples of the contract. */
export const oneDiamond = { carat: 0.7, cut: 'Ideal', color: 'G', price: 2757 };

/** Cached, since it is always the same. */
let slow: string | undefined;

/**
 * Returns a table that trains for so long that the next request finds the training under way, and that is still
 * sent fast: few rows with sixty columns that all matter, in folds, for hundreds of rounds. It takes a core
 * seven seconds, so it is for trainings that no test waits for.
 */
export function slowTable(): string {
  slow ??= makeSlowTable();
  return slow;
}

function makeSlowTable(): string {
  const columns = ['carat', 'depth', ...Array.from({ length: 58 }, (_, index) => `column_${index}`)];
  const rows = Array.from({ length: 1000 }, (_, row) => {
    const cells = columns.map((_, column) => (row * (2 * column + 1) * 7919) % 997);
    return [...cells, cells.reduce((sum, cell) => sum + cell, 0)].join(',');
  });
  return `${[...columns, 'price'].join(',')}\n${rows.join('\n')}\n`;
}

/** A real table, for training and predictions. */
export interface Table {
  readonly csv: string;
  /** The same rows as JSON. */
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

/** Returns the first diamonds of the table, or all of them, as CSV and as JSON. */
export function diamondTable(count = Number.POSITIVE_INFINITY): Table {
  const csv = someDiamonds(count).trimEnd();
  const { data } = Papa.parse<Table['rows'][number]>(csv, { header: true, dynamicTyping: true });
  return { csv, rows: data };
}
