import { diamondTable } from '../../testkit/data/diamonds.js';

/**
 * Returns the whole table of an example, which shows only its first lines, too few to train from: the same
 * columns of every diamond.
 * @param firstLines CSV with a header line, without quotes
 * @throws if it has a column that the diamonds do not have
 */
export function wholeTable(firstLines: string): string {
  const [header = ''] = firstLines.split('\n');
  const columns = header.split(',');
  const { rows } = diamondTable();
  const lines = rows.map((row) => columns.map((column) => cell(row, column)).join(','));
  return `${[header, ...lines].join('\n')}\n`;
}

function cell(row: Readonly<Record<string, string | number>>, column: string): string | number {
  const value = row[column];
  if (value === undefined) throw new Error(`datasets/diamonds.csv has no column "${column}"`);
  return value;
}
