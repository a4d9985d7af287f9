import type { RowObject } from './cells.js';
import type { TableColumn } from './column.js';
import type { RowTable } from './table.js';

/** Returns a row of a table as a caller would send it. */
export function rowObject({ columns }: RowTable, row: number): RowObject {
  return Object.fromEntries(columns.map((column) => [column.name, cellOf(column, row)]));
}

function cellOf(column: TableColumn, row: number): unknown {
  if (column.kind === 'text') return column.texts[(column.codes[row] ?? 0) - 1] ?? null;
  const value = column.values[row] ?? Number.NaN;
  if (Number.isNaN(value)) return null;
  return column.kind === 'date' ? new Date(value).toISOString() : value;
}
