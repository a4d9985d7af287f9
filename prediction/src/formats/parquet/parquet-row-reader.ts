import { FormatFault } from '../../columns/format-fault.js';
import type { Vector } from '../../columns/vector.js';
import { type ByteFile, readParquet } from '../../parquet/parquet-groups.js';
import type { RowWarnings } from '../../row-check/row-warnings.js';
import { type AnswerOptions, RowsError } from '../answer-part.js';
import type { BlockPredictor } from '../block-predictor.js';
import type { ColumnBlock } from '../column-block.js';
import { ColumnReader } from '../column-reader.js';
import type { RowReader } from '../formats.js';

/** The most rows of a body: as runs of one value take no bytes, its size does not limit them. */
const MAX_ROWS = 50_000_000;

/** Reads rows from a Parquet file, which is held as a whole, as its footer is needed first. */
export class ParquetRowReader implements RowReader {
  readonly isWhole = false;
  readonly #reader: ColumnReader;

  constructor(blocks: BlockPredictor, options: AnswerOptions) {
    this.#reader = new ColumnReader(blocks, options);
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<ColumnBlock>> {
    const file = inMemory(await bytesOf(body));
    let places: ReadonlyMap<string, number> = new Map();
    const groups = readParquet(file, MAX_ROWS, (names) => {
      places = this.#reader.places(names);
      return new Set(places.values());
    });
    try {
      for await (const { length, vectors } of groups) {
        const named = new Map<string, Vector>();
        for (const [name, place] of places) {
          const vector = vectors.get(place);
          if (vector) named.set(name, vector);
        }
        yield this.#reader.blocks({ length, vectors: named });
      }
    } catch (error) {
      throw error instanceof FormatFault ? new RowsError(error.message) : error;
    }
  }

  warnings(most: number): RowWarnings {
    return this.#reader.warnings(most);
  }
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces);
}

function inMemory(bytes: Uint8Array): ByteFile {
  return {
    length: bytes.length,
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
  };
}
