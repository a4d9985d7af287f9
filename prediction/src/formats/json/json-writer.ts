import { JsonBuffer, literal } from '../../serving/json-buffer.js';
import type { BlockAnswers, BlockPredictor } from '../block-predictor.js';
import type { AnswerWriter } from '../formats.js';
import type { RowBlock } from '../row-block.js';

const OPEN = literal('[');
const COMMA = literal(',');
const CLOSE = literal(']');
const LINE_END = literal('\n');

/** Bytes to begin with. */
const CAPACITY = 80 * 1024;

/** Writes an array of answer rows, or one row a line. */
export class JsonWriter implements AnswerWriter {
  readonly #blocks: BlockPredictor;
  readonly #areLines: boolean;
  readonly #out = new JsonBuffer(CAPACITY);
  #isBegun = false;

  constructor(blocks: BlockPredictor, to: 'json' | 'ndjson') {
    this.#blocks = blocks;
    this.#areLines = to === 'ndjson';
  }

  get length(): number {
    return this.#out.length;
  }

  write(block: RowBlock, _answers: BlockAnswers): void {
    for (let index = 0; index < block.rowCount; index++) {
      if (!this.#areLines) this.#out.literal(this.#isBegun ? COMMA : OPEN);
      this.#isBegun = true;
      this.#blocks.writeJson(this.#out, block.row(index), index);
      if (this.#areLines) this.#out.literal(LINE_END);
    }
  }

  end(): void {
    if (this.#areLines) return;
    if (!this.#isBegun) this.#out.literal(OPEN);
    this.#out.literal(CLOSE);
  }

  take(): Uint8Array {
    return this.#out.take();
  }
}
