import { OrderedRows, type OrderedSink } from '../../table/row-reader.js';
import type { Table } from '../../table/table.js';
import { TableError } from '../../table/table-error.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { buildTable, noRows, type ReadOptions } from '../read-table.js';
import { SpoolFile } from '../spool-file.js';
import { sheetName } from './sheet.js';
import { readSheetTable, type SheetListener, type SheetOptions } from './sheet-table.js';

/**
 * Reads a table from a sheet of an Excel workbook (.xlsx): see `readTable`. As the end of the file is needed first, it
 * is written to a temporary file without a name.
 *
 * @throws {TableError} if it is none, or no model can be trained on the table.
 * @throws the source's own error, if it breaks off, and that of the temporary file.
 */
export function readXlsxTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  options: ReadOptions & SheetOptions = {},
): Promise<Table> {
  const createRows = () => new OrderedRows(target, options);
  return buildTable(source, options, createRows, (pieces, rows) => addXlsx(pieces, rows, options));
}

/**
 * Adds the rows of a sheet, until no more are wanted.
 *
 * @throws {FormatError | TableError} at a fault of the file, with the sheet and the cell or the row.
 */
export async function addXlsx(
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
  options: SheetOptions,
  listener: Partial<SheetListener> = {},
): Promise<void> {
  const file = await SpoolFile.of(pieces);
  let count = 0;
  let sheet = '';
  try {
    const blocks = readSheetTable(file, new ByteBudget(), options, {
      open(found) {
        sheet = found.sheet;
        listener.open?.(found);
      },
      begin(names, line) {
        listener.begin?.(names, line);
        rows.begin(names);
      },
    });
    for await (const block of blocks) {
      for (const { line, cells } of block) rows.add(cells, { line });
      count += block.length;
      if (rows.isFull) return;
    }
  } catch (error) {
    throw error instanceof TableError ? withSheet(error, sheet) : error;
  } finally {
    await file.close();
  }
  if (count === 0) throw withSheet(noRows(), sheet);
}

function withSheet({ faults }: TableError, sheet: string): TableError {
  return new TableError(
    faults.map((fault) => ({ ...fault, message: `${sheetName(sheet)}: ${fault.message}` })),
  );
}
