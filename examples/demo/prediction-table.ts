import type { PredictionRow } from 'roster-client';

type Cell = (row: PredictionRow) => string;

const dollars = (value: unknown) => Math.round(Number(value)).toLocaleString('en');

const COLUMNS: readonly [heading: string, cell: Cell][] = [
  ['carat', (row) => Number(row['carat']).toFixed(2)],
  ['cut', (row) => String(row['cut'])],
  ['color', (row) => String(row['color'])],
  ['clarity', (row) => String(row['clarity'])],
  ['truth', (row) => dollars(row['price_original'])],
  ['prediction', (row) => dollars(row['price'])],
  ['interval', (row) => `${dollars(row['price_min'])} to ${dollars(row['price_max'])}`],
  ['inside', (row) => (row['price_anomaly'] === false ? 'yes' : 'no')],
];

/** Formats predictions of diamonds as a table for a terminal. */
export function writeTable(rows: readonly PredictionRow[]): string {
  const cells = [COLUMNS.map(([heading]) => heading), ...rows.map((row) => COLUMNS.map(([, cell]) => cell(row)))];
  const widths = COLUMNS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const lines = cells.map((line) => line.map((text, column) => text.padStart(widths[column] ?? 0)).join('  '));
  const rule = widths.map((width) => '─'.repeat(width)).join('  ');
  return [lines[0], rule, ...lines.slice(1)].map((line) => `  ${line}`).join('\n');
}
