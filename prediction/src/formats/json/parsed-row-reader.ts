import { KeyReader } from '../../row-check/row-keys.js';
import type { RowWarnings } from '../../row-check/row-warnings.js';
import { ObjectBlock } from '../../serving/row-binner.js';
import type { BlockPredictor } from '../../serving/row-server.js';
import { type AnswerOptions, UnknownNamesError } from '../answer-part.js';
import type { RowReader } from '../formats.js';

/** Unknown names that a refusal lists at most. */
const MAX_NAMES = 21;

/** Reads rows that were parsed already. */
export class ParsedRowReader implements RowReader {
  readonly isWhole = true;
  readonly #rows: readonly unknown[];
  readonly #blocks: BlockPredictor;
  readonly #unknown: AnswerOptions['unknown'];
  readonly #check;

  constructor(
    rows: readonly unknown[],
    blocks: BlockPredictor,
    { unknown }: Pick<AnswerOptions, 'unknown'>,
  ) {
    this.#rows = rows;
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#check = blocks.check();
  }

  async *read(): AsyncGenerator<Iterable<ObjectBlock>> {
    this.#check.add(this.#rows);
    if (this.#unknown === 'refuse') {
      const names = this.#check.unknownNames(MAX_NAMES);
      if (names.length > 0) throw new UnknownNamesError(names);
    }
    yield this.#inBlocks();
  }

  warnings(most: number): RowWarnings {
    return this.#check.warnings(most);
  }

  *#inBlocks(): Generator<ObjectBlock> {
    const { names, binner, maxRows } = this.#blocks;
    const keys = new KeyReader(names);
    for (let start = 0; start < this.#rows.length; ) {
      const read = keys.read(this.#rows, start, maxRows);
      yield new ObjectBlock(read, binner);
      start += read.length;
    }
  }
}
