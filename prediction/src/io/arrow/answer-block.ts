import type { AnswerLayout, PredictedBlock } from '../../serving/answer-layout.js';
import type { RowBlock } from '../../serving/row-binner.js';
import { Cell, type RowObject } from '../../table/cells.js';
import { ColumnBlock } from '../column-block.js';
import type { ArrowBatch } from './arrow-row-reader.js';

/** The rows of a block and what is predicted of them, from which an answer takes values by column. */
export class AnswerBlock {
  readonly rowCount: number;
  readonly predicted: PredictedBlock;
  readonly #block: RowBlock;
  readonly #layout: AnswerLayout;
  readonly #explain: boolean;
  #rows: readonly RowObject[] | undefined;
  #choices: Uint8Array | undefined;

  /** @param explain whether the columns depend on the rows' own values of the target */
  constructor(block: RowBlock, predicted: PredictedBlock, layout: AnswerLayout, explain: boolean) {
    this.#block = block;
    this.predicted = predicted;
    this.rowCount = block.rowCount;
    this.#layout = layout;
    this.#explain = explain;
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

  /** Returns a choice of a row. */
  choice(row: number, at: number): number {
    this.#choices ??= this.#choose();
    return this.#choices[row * this.#layout.choiceCount + at] ?? 0;
  }

  #choose(): Uint8Array {
    const { choiceCount, sent, target } = this.#layout;
    const originalAt = this.#explain ? this.valuesOf(sent[target] ?? '') : () => null;
    const choices = new Uint8Array(this.rowCount * choiceCount);
    for (let row = 0; row < this.rowCount; row++) {
      this.predicted.writeChoices(row, originalAt(row), choices, row * choiceCount);
    }
    return choices;
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
