import { type ByteBudget, PIECE_BYTES } from '../../columns/byte-budget.js';
import type { Vector } from '../../columns/vector.js';
import { type ByteFile, readParquet } from '../../parquet/parquet-groups.js';
import type { SchemaCheck } from '../../serving/row-check.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import type { AnswerOptions, RowReader } from '../answer-part.js';
import type { ColumnBlock } from '../column-block.js';
import { ColumnReader } from '../column-reader.js';

/** Reads rows from a Parquet file, which is held as a whole, as its footer is needed first. */
export class ParquetRowReader implements RowReader {
  readonly isWhole = false;
  readonly #reader: ColumnReader;
  readonly #budget: ByteBudget;

  constructor(
    blocks: BlockPredictor,
    options: AnswerOptions,
    check: SchemaCheck,
    budget: ByteBudget,
  ) {
    this.#budget = budget;
    this.#reader = new ColumnReader(blocks, options, check);
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<ColumnBlock>> {
    const file = inMemory(await this.#hold(body));
    let places: ReadonlyMap<string, number> = new Map();
    const groups = readParquet(file, this.#budget, Number.POSITIVE_INFINITY, (names) => {
      places = this.#reader.places(names);
      return new Set(places.values());
    });
    for await (const { length, vectors } of groups) {
      const named = new Map<string, Vector>();
      for (const [name, place] of places) {
        const vector = vectors.get(place);
        if (vector) named.set(name, vector);
      }
      yield this.#reader.blocks({ length, vectors: named });
    }
  }

  async #hold(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
    const arrived = this.#budget.hold('The Parquet file that has arrived');
    const whole = this.#budget.hold('The Parquet file');
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of body) {
      arrived.add(piece.length + PIECE_BYTES);
      pieces.push(piece);
      length += piece.length;
    }
    whole.add(length);
    const bytes = Buffer.concat(pieces, length);
    arrived.releaseAll();
    return bytes;
  }
}

function inMemory(bytes: Uint8Array): ByteFile {
  return {
    length: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
  };
}
