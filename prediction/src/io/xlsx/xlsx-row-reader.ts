import type { RowBlock } from '../../serving/row-binner.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import { objectBlocks, type RowColumns } from '../../serving/row-server.js';
import { columnName } from '../../table/column-names.js';
import { type ReadOptions, type RowReader, refuseUnknown } from '../answer-part.js';
import type { ByteBudget } from '../columns/byte-budget.js';
import { holdFile } from '../columns/byte-file.js';
import { readSheetTable } from './sheet-table.js';

/** Reads the rows of a sheet of an Excel workbook, as objects. */
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
    const parts = readSheetTable(file, this.#budget, form, {
      begin: (sent) => {
        names = sent.map(columnName);
      },
    });
    for await (const part of parts) {
      const rows = part.map(({ cells }) =>
        Object.fromEntries(names.map((name, at) => [name, cells[at]])),
      );
      this.#check.add(rows);
      if (unknown === 'refuse') refuseUnknown(this.#check);
      yield objectBlocks(rows, this.#blocks);
    }
  }
}
