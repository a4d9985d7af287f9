import type { PredictedRows } from '../../serving/predicted-rows.js';
import type { CellBlock } from '../cells/cell-block.js';
import type { CellMemory } from '../cells/cell-memory.js';
import type { CsvBuffer } from './csv-buffer.js';

/** The numbers of a row: the prediction, its confidence and its bounds. */
const NUMBERS = 4;

/** Bytes of a number as text; the last is its length. See `kernel/assembly/json/digits.ts`. */
const NUMBER_TEXT = 32;

/** Bytes of room for lines. A row that is longer is written without the kernel. */
const ROOM = 128 * 1024;

/** Writes answer rows of numbers in the kernel, from cells and predictions to lines. One writes the rows of one body. */
export class CellLines {
  readonly #lent: CellMemory;
  readonly #inputCount: number;
  readonly #doubles: number;
  readonly #numbers: number;
  readonly #room: number;

  constructor(lent: CellMemory, inputCount: number, maxRows: number) {
    this.#lent = lent;
    this.#inputCount = inputCount;
    this.#doubles = lent.memory.allocate(8 * maxRows);
    this.#numbers = lent.memory.allocate(NUMBER_TEXT * NUMBERS * maxRows);
    this.#room = lent.memory.allocate(ROOM);
  }

  /** @param writeRow writes a row that has more than plain fields. */
  write(
    out: CsvBuffer,
    block: CellBlock,
    { values, confidences, mins, maxs }: PredictedRows,
    writeRow: (index: number) => void,
  ): void {
    for (const [place, numbers] of [values, confidences, mins, maxs].entries()) {
      this.#writeNumbers(numbers.subarray(0, block.rowCount), place);
    }
    let row = 0;
    for (const other of block.others.keys()) {
      this.#writeLines(out, block, row, other, writeRow);
      writeRow(other);
      row = other + 1;
    }
    this.#writeLines(out, block, row, block.rowCount, writeRow);
  }

  #writeLines(
    out: CsvBuffer,
    { plan, place }: CellBlock,
    from: number,
    to: number,
    writeRow: (index: number) => void,
  ): void {
    const { kernel, bytes } = this.#lent.memory;
    for (let row = from; row < to; row++) {
      row = kernel.writeLines(
        ...([place.cells, plan.columns.length, this.#inputCount] as const),
        ...([this.#numbers, NUMBERS, row, to, this.#room, this.#room + ROOM] as const),
      );
      out.chunk(bytes.subarray(this.#room, kernel.linesEnd()));
      if (row < to) writeRow(row);
    }
  }

  #writeNumbers(values: Float64Array, place: number): void {
    const { doubles, bytes, kernel } = this.#lent.memory;
    doubles.set(values, this.#doubles / 8);
    const texts = this.#numbers + NUMBER_TEXT * place;
    const step = NUMBER_TEXT * NUMBERS;
    if (kernel.writeNumbers(this.#doubles, values.length, texts, step) === 0) return;
    for (const [index, value] of values.entries()) {
      const at = texts + step * index;
      if (bytes[at + NUMBER_TEXT - 1] !== 0) continue;
      const text = Buffer.from(String(value));
      bytes.set(text, at);
      bytes[at + NUMBER_TEXT - 1] = text.length;
    }
  }
}
