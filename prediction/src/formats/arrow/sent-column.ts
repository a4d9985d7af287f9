import type { Dictionary } from '../../arrow/dictionary.js';
import { BatchBody } from '../../arrow/message-bytes.js';
import type { RawColumn } from '../../arrow/raw-column.js';
import type { Field } from '../../arrow/schema.js';
import { writeRows } from '../../arrow/sent-columns.js';
import { RowsError } from '../answer-part.js';
import type { AnswerBlock } from './answer-block.js';
import type { ArrowBatch } from './arrow-row-reader.js';
import type { DictionaryPart, OutputColumn } from './output-columns.js';

/** A column that an answer has as it was sent. */
export class SentColumn implements OutputColumn {
  readonly field: Field;
  /** What was sent is copied only as it is written. */
  readonly textBytes = 0;
  readonly #name: string;
  readonly #isFile: boolean;
  #batch: ArrowBatch | undefined;
  /** The rows of the batch that were written, and those that were added since. */
  #written = 0;
  #added = 0;
  /** The part of the dictionary that was written. */
  #dictionary: Dictionary | undefined;
  #chunks = 0;

  /**
   * @param source the model's name of the column.
   * @param name of the column in the answer.
   * @param id of its dictionary there.
   */
  constructor(source: string, name: string, { field }: RawColumn, id: number, isFile: boolean) {
    const dictionary = field.dictionary && { ...field.dictionary, id };
    this.field = { ...field, name, dictionary };
    this.#name = source;
    this.#isFile = isFile;
  }

  add({ arrow, rowCount }: AnswerBlock): void {
    if (arrow !== this.#batch) {
      this.#batch = arrow;
      this.#written = 0;
    }
    this.#added += rowCount;
  }

  *dictionary(): Generator<DictionaryPart> {
    const dictionary = this.#batch?.columns.get(this.#name)?.dictionary;
    const id = this.field.dictionary?.id;
    if (!dictionary || id === undefined) return;
    if (dictionary !== this.#dictionary) this.#begin(dictionary);
    for (const chunk of dictionary.chunks.slice(this.#chunks)) {
      const body = new BatchBody();
      writeRows(body, chunk, 0, chunk.length);
      yield { id, count: chunk.length, isDelta: this.#chunks > 0, body };
      this.#chunks++;
    }
  }

  write(body: BatchBody): void {
    const raw = this.#batch?.columns.get(this.#name);
    if (raw && this.#batch) writeRows(body, raw, this.#batch.start + this.#written, this.#added);
    this.#written += this.#added;
    this.#added = 0;
  }

  #begin(dictionary: Dictionary): void {
    if (this.#dictionary && this.#isFile) {
      const name = JSON.stringify(this.#name.slice(0, 60));
      throw new RowsError(
        `The dictionary of the column ${name} is replaced by another, which a file of Arrow cannot have. Ask for a stream.`,
      );
    }
    this.#dictionary = dictionary;
    this.#chunks = 0;
  }
}
