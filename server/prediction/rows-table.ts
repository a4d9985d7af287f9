import { checkColumnNames } from './column-names.js';
import { isRowObject, ownValue } from './row-object.js';
import type { Table } from './table.js';
import { TableBuilder } from './table-builder.js';
import { FaultList, TableError } from './table-error.js';

const ROW_SHAPE = 'Send each row as an object that gives its values by column name.';

/**
 * Reads a table from a JSON array of row objects. The columns are the union of the rows' keys, in
 * order of first appearance; a key that a row lacks is a missing value.
 *
 * @throws {TableError} if no model can be trained on the table, or it has more than 1,000,000 rows.
 */
export function readRowsTable(rows: readonly unknown[], target: string): Table {
  if (rows.length === 0) {
    throw new TableError([{ message: 'The table has no rows. Send an array of row objects.' }]);
  }
  const faults = new FaultList();
  const builder = new TableBuilder(target);
  let hasTarget = false;
  for (const [index, row] of rows.entries()) {
    if (!isRowObject(row)) {
      faults.add({ message: `Row ${index} is not an object. ${ROW_SHAPE}`, row: index });
      continue;
    }
    hasTarget = Object.hasOwn(row, target) || hasTarget;
    addRow(builder, row, index, target);
  }
  const inputs = builder.columnNames;
  checkColumnNames(hasTarget ? [...inputs, target] : inputs, target, faults);
  return builder.build();
}

function addRow(
  builder: TableBuilder,
  row: Readonly<Record<string, unknown>>,
  index: number,
  target: string,
): void {
  const position = builder.startRow(ownValue(row, target), { row: index });
  for (const name of Object.keys(row)) {
    if (name === target) continue;
    const column = builder.column(name);
    if (position !== undefined) column.put(position, row[name]);
  }
}
