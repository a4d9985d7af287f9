import type { OrderedSink } from '../../table/row-reader.js';
import { TableError } from '../../table/table-error.js';
import { noRows } from '../columns/add-batches.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { SpoolFile } from '../spool-file.js';
import { sheetName } from './sheet.js';
import { readSheetTable, type SheetListener, type SheetOptions } from './sheet-table.js';

/**
 * Adds the rows of a sheet of an Excel workbook (.xlsx), until no more are wanted.
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
