import type { ColumnWriter } from '../../arrow/column-writers.js';
import type { BatchBody } from '../../arrow/message-bytes.js';
import type { Field } from '../../arrow/schema.js';
import type { BlockAnswers } from '../block-predictor.js';
import type { AnswerBlock } from './answer-block.js';

/** A dictionary that is to be written before a batch. */
export interface DictionaryPart {
  readonly id: number;
  readonly count: number;
  readonly isDelta: boolean;
  readonly body: BatchBody;
}

/** A column of an answer. */
export interface OutputColumn {
  readonly field: Field;
  /** The bytes of texts that were added and are not written. */
  readonly textBytes: number;
  /** Takes the values of a block. */
  add(block: AnswerBlock, answers: BlockAnswers): void;
  /** Yields what the dictionary lacks for the rows that were added. */
  dictionary(): Iterable<DictionaryPart>;
  /** Writes the rows that were added as the next column of a batch. */
  write(body: BatchBody): void;
}

/** A column whose values are made row by row. */
export class MadeColumn<W extends ColumnWriter<never>> implements OutputColumn {
  readonly field: Field;
  readonly #writer: W;
  readonly #addTo: (writer: W, block: AnswerBlock, answers: BlockAnswers) => void;

  /** @param addTo adds the values of a block's rows. */
  constructor(
    name: string,
    writer: W,
    addTo: (writer: W, block: AnswerBlock, answers: BlockAnswers) => void,
  ) {
    this.field = { name, type: writer.type, children: writer.children, dictionary: null };
    this.#writer = writer;
    this.#addTo = addTo;
  }

  get textBytes(): number {
    return this.#writer.textBytes;
  }

  add(block: AnswerBlock, answers: BlockAnswers): void {
    this.#addTo(this.#writer, block, answers);
  }

  *dictionary(): Generator<DictionaryPart> {}

  write(body: BatchBody): void {
    this.#writer.write(body);
  }
}
