import type { RowBlock } from '../../serving/row-binner.js';
import { Cell, type RowObject } from '../../table/cells.js';
import { ColumnBlock } from '../column-block.js';
import type { ArrowBatch } from './arrow-row-reader.js';

/** The rows of a block, from which an answer takes values by column. */
export class AnswerBlock {
  readonly rowCount: number;
  readonly #block: RowBlock;
  #rows: readonly RowObject[] | undefined;

  constructor(block: RowBlock) {
    this.#block = block;
    this.rowCount = block.rowCount;
  }

  /** The batch of Arrow that the rows are of; undefined for other formats. */
  get arrow(): ArrowBatch | undefined {
    const batch = this.#block instanceof ColumnBlock ? this.#block.batch : undefined;
    return batch !== undefined && isArrow(batch) ? batch : undefined;
  }

  /** Whether these are the last rows of their batch. */
  get isLast(): boolean {
    const block = this.#block;
    return block instanceof ColumnBlock && block.start + block.rowCount === block.batch.length;
  }

  /** Whether the batch may be cut behind these rows: bits stay whole bytes. */
  get isCut(): boolean {
    const block = this.#block;
    return block instanceof ColumnBlock && (block.start + block.rowCount) % 8 === 0;
  }

  /** The rows as objects under the model's names. */
  get rows(): readonly RowObject[] {
    this.#rows ??= Array.from({ length: this.rowCount }, (_, index) => this.#block.row(index));
    return this.#rows;
  }

  /** Returns what reads the values of a column as JSON would have them; null where there is none. */
  valuesOf(name: string): (index: number) => unknown {
    const block = this.#block;
    if (block instanceof ColumnBlock) {
      const vector = block.batch.vectors.get(name);
      return (index) => vector?.value(block.start + index) ?? null;
    }
    const cell = new Cell(name);
    return (index) => cell.of(this.rows[index] ?? {});
  }
}

function isArrow(batch: ColumnBlock['batch']): batch is ArrowBatch {
  return 'columns' in batch;
}
