import { KeyReader } from '../../row-check/row-keys.js';
import type { RowWarnings } from '../../row-check/row-warnings.js';
import { JsonShapeError, MalformedJsonError } from '../../table/json-errors.js';
import { type AnswerOptions, UnknownNamesError } from '../answer-part.js';
import type { BlockPredictor } from '../block-predictor.js';
import type { RowReader } from '../formats.js';
import { ObjectBlock } from '../row-block.js';

/** Unknown names that a refusal lists at most. */
const MAX_NAMES = 21;

/** Reads an array of rows, or one under `data`. */
export class JsonRowReader implements RowReader {
  readonly isWhole = true;
  readonly #blocks: BlockPredictor;
  readonly #unknown: AnswerOptions['unknown'];
  readonly #check;

  constructor(blocks: BlockPredictor, { unknown }: AnswerOptions) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#check = blocks.check();
  }

  async *read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Iterable<ObjectBlock>> {
    const rows = rowsOf(await textOf(body));
    this.#check.add(rows);
    if (this.#unknown === 'refuse') {
      const names = this.#check.unknownNames(MAX_NAMES);
      if (names.length > 0) throw new UnknownNamesError(names);
    }
    yield this.#inBlocks(rows);
  }

  warnings(most: number): RowWarnings {
    return this.#check.warnings(most);
  }

  *#inBlocks(rows: readonly unknown[]): Generator<ObjectBlock> {
    const { names, binner, maxRows } = this.#blocks;
    const keys = new KeyReader(names);
    for (let start = 0; start < rows.length; ) {
      const read = keys.read(rows, start, maxRows);
      yield new ObjectBlock(read, binner);
      start += read.length;
    }
  }
}

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

function rowsOf(text: string): readonly unknown[] {
  const value = parsed(text);
  const rows = Array.isArray(value) ? value : Object(value).data;
  if (!Array.isArray(rows)) throw new JsonShapeError('must be an array of rows');
  return rows;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MalformedJsonError(String(error));
  }
}
