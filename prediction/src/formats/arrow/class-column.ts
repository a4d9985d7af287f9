import { IndexWriter, TextWriter } from '../../arrow/column-writers.js';
import { BatchBody } from '../../arrow/message-bytes.js';
import type { Field } from '../../arrow/schema.js';
import { UTF8 } from '../../arrow/types.js';
import type { BlockAnswers } from '../block-predictor.js';
import type { AnswerBlock } from './answer-block.js';
import type { DictionaryPart, OutputColumn } from './output-columns.js';

/** The most likely class of each row, as an index of the model's classes. */
export class ClassColumn implements OutputColumn {
  readonly field: Field;
  readonly textBytes = 0;
  readonly #id: number;
  readonly #indices = new IndexWriter();
  #names: readonly string[] | undefined;
  #isWritten = false;

  constructor(name: string, id: number) {
    const dictionary = { id, indexType: this.#indices.type };
    this.field = { name, type: UTF8, children: [], dictionary };
    this.#id = id;
  }

  add({ rowCount }: AnswerBlock, answers: BlockAnswers): void {
    if (answers.task !== 'classification') return;
    this.#names = answers.names;
    for (let row = 0; row < rowCount; row++) this.#indices.add(answers.predicted.likeliest(row));
  }

  *dictionary(): Generator<DictionaryPart> {
    if (this.#isWritten || this.#names === undefined) return;
    this.#isWritten = true;
    const names = new TextWriter();
    for (const name of this.#names) names.add(name);
    const body = new BatchBody();
    names.write(body);
    yield { id: this.#id, count: this.#names.length, isDelta: false, body };
  }

  write(body: BatchBody): void {
    this.#indices.write(body);
  }
}
