import { objectBlocks, type RowColumns } from '../../rows/blocks.js';
import type { RowBlock } from '../../rows/row-binner.js';
import type { SchemaCheck } from '../../rows/row-check.js';
import { columnName, nameIndex } from '../../table/column-names.js';
import type { OrderedSink } from '../../table/row-reader.js';
import { TableError } from '../../table/table-error.js';
import { type ReadOptions, type RowReader, refuseUnknown } from '../answer-part.js';
import { noRows } from '../columns/add-batches.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { type ByteFile, holdFile } from '../columns/byte-file.js';
import { SpoolFile } from '../spool-file.js';
import { sheetName } from './sheet.js';
import { readSheetTable, type SheetListener, type SheetOptions } from './sheet-table.js';

/** Adds the rows of a workbook that arrives; see `addSheet`. */
export async function addXlsx(
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
  options: SheetOptions,
): Promise<void> {
  const file = await SpoolFile.of(pieces);
  try {
    await addSheet(file, rows, options);
  } finally {
    await file.close();
  }
}

/**
 * Adds the rows of a sheet of an Excel workbook (.xlsx), until no more are wanted.
 *
 * @throws {FormatError | TableError} at a fault of the file, with the sheet and the cell or the row.
 */
export async function addSheet(
  file: ByteFile,
  rows: OrderedSink,
  options: SheetOptions,
  listener: Partial<SheetListener> = {},
): Promise<void> {
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
  }
  if (count === 0) throw withSheet(noRows(), sheet);
}

function withSheet({ faults }: TableError, sheet: string): TableError {
  return new TableError(faults.map((fault) => ({ ...fault, message: `${sheetName(sheet)}: ${fault.message}` })));
}

/** Returns a number as a sheet shows it as a percentage, without the error of a product: 28.999999999999996 is 29. */
function asShown(fraction: unknown): unknown {
  return typeof fraction === 'number' ? Number((100 * fraction).toPrecision(DIGITS)) : fraction;
}

/** The digits that a decimal number keeps as a double. */
const DIGITS = 15;

/**
 * Reads the rows of a sheet of an Excel workbook, as objects. In a column whose texts have the unit %, a number that the
 * sheet shows as a percentage counts as shown.
 */
export class XlsxRowReader implements RowReader {
  readonly isWhole = false;
  readonly #blocks: RowColumns;
  readonly #options: ReadOptions;
  readonly #check: SchemaCheck;
  readonly #budget: ByteBudget;

  constructor(blocks: RowColumns, options: ReadOptions, check: SchemaCheck, budget: ByteBudget) {
    this.#blocks = blocks;
    this.#options = options;
    this.#check = check;
    this.#budget = budget;
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<RowBlock>> {
    const file = await holdFile(body, this.#budget, 'workbook');
    const { form = {}, unknown } = this.#options;
    let names: readonly string[] = [];
    const { percents } = this.#blocks.layout;
    const parts = readSheetTable(file, this.#budget, form, {
      begin: (sent) => {
        names = nameIndex(sent.map(columnName));
      },
    });
    for await (const part of parts) {
      const rows = part.map(({ cells, percents: shown }) => {
        const row: Record<string, unknown> = Object.fromEntries(names.map((name, at) => [name, cells[at]]));
        for (const at of shown) {
          const name = names[at] ?? '';
          if (percents.has(name)) row[name] = asShown(row[name]);
        }
        return row;
      });
      this.#check.add(rows);
      if (unknown === 'refuse') refuseUnknown(this.#check);
      yield objectBlocks(rows, this.#blocks);
    }
  }
}
