import { readArrow } from '../../arrow/arrow-batches.js';
import type { RawColumn } from '../../arrow/raw-column.js';
import type { ByteBudget } from '../../columns/byte-budget.js';
import type { Vector } from '../../columns/vector.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { AnswerOptions, RowReader } from '../answer-part.js';
import type { ColumnBatch, ColumnBlock } from '../column-block.js';
import { ColumnReader } from '../column-reader.js';

/** Rows of an Arrow batch, with its columns as they were sent. */
export interface ArrowBatch extends ColumnBatch {
  /** Under the model's names. */
  readonly columns: ReadonlyMap<string, RawColumn>;
  /** The first row in them. */
  readonly start: number;
}

/** Reads rows from an Arrow stream or file, batch by batch. */
export class ArrowRowReader implements RowReader {
  readonly isWhole = false;
  readonly #format: 'stream' | 'file';
  readonly #reader: ColumnReader;
  readonly #budget: ByteBudget;

  constructor(
    blocks: BlockPredictor,
    options: AnswerOptions,
    check: SchemaCheck,
    format: 'stream' | 'file',
    budget: ByteBudget,
  ) {
    this.#format = format;
    this.#budget = budget;
    this.#reader = new ColumnReader(blocks, options, check);
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<ColumnBlock>> {
    let places: ReadonlyMap<string, number> = new Map();
    const slices = readArrow(body, this.#format, this.#budget, (fields) => {
      places = this.#reader.places(fields.map(({ name }) => name));
      return new Set(places.values());
    });
    for await (const { length, vectors, columns, start } of slices) {
      const named = new Map<string, Vector>();
      const sent = new Map<string, RawColumn>();
      for (const [name, place] of places) {
        const vector = vectors.get(place);
        const column = columns[place];
        if (vector === undefined || column === undefined) continue;
        named.set(name, vector);
        sent.set(name, column);
      }
      const batch: ArrowBatch = { length, vectors: named, columns: sent, start };
      yield this.#reader.blocks(batch);
    }
  }
}
