import { MAX_BLOCK_BYTES } from '../../columns/byte-budget.js';
import type { PredictedBlock } from '../../serving/answer-layout.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { CellBlock } from '../cells/cell-block.js';
import type { CellMemory } from '../cells/cell-memory.js';
import { NUMBER_TEXT, writeNumberTexts } from '../cells/number-texts.js';
import type { CsvBuffer } from './csv-buffer.js';

/** Bytes of room for lines. A row that is longer is written without the kernel. */
const ROOM = 128 * 1024;

/** Writes answer rows of inputs and numbers in the kernel, from cells and predictions to lines. One writes the rows of one body. */
export class CellLines {
  readonly #lent: CellMemory;
  readonly #inputCount: number;
  readonly #numberCount: number;
  readonly #doubles: number;
  readonly #numbers: number;
  readonly #room: number;

  constructor(lent: CellMemory, { columns, layout, maxRows }: BlockPredictor) {
    this.#lent = lent;
    this.#inputCount = columns.length;
    this.#numberCount = layout.numberCount;
    this.#doubles = lent.memory.allocate(8 * layout.numberCount * maxRows);
    this.#numbers = lent.memory.allocate(NUMBER_TEXT * layout.numberCount * maxRows);
    this.#room = lent.memory.allocate(ROOM);
  }

  /**
   * Yields as `AnswerWriter.write`.
   *
   * @param writeRow writes a row that has more than plain fields.
   */
  *write(
    out: CsvBuffer,
    block: CellBlock,
    { numbers }: PredictedBlock,
    writeRow: (index: number) => void,
  ): Generator<void> {
    const { memory } = this.#lent;
    const places = { doubles: this.#doubles, texts: this.#numbers };
    const ofBlock = numbers.subarray(0, block.rowCount * this.#numberCount);
    writeNumberTexts(memory, ofBlock, places, String);
    let row = 0;
    for (const other of block.others.keys()) {
      yield* this.#writeLines(out, block, row, other, writeRow);
      writeRow(other);
      row = other + 1;
    }
    yield* this.#writeLines(out, block, row, block.rowCount, writeRow);
  }

  *#writeLines(
    out: CsvBuffer,
    { plan, place }: CellBlock,
    from: number,
    to: number,
    writeRow: (index: number) => void,
  ): Generator<void> {
    const { kernel, bytes } = this.#lent.memory;
    for (let row = from; row < to; row++) {
      row = kernel.writeLines(
        ...([place.cells, plan.columns.length, this.#inputCount] as const),
        ...([this.#numbers, this.#numberCount, row, to, this.#room, this.#room + ROOM] as const),
      );
      out.chunk(bytes.subarray(this.#room, kernel.linesEnd()));
      if (row < to) writeRow(row);
      if (out.length >= MAX_BLOCK_BYTES) yield;
    }
  }
}
