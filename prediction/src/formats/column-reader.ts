import type { Vector } from '../columns/vector.js';
import type { OutlierCheck, SchemaCheck } from '../serving/row-check.js';
import { ColumnMapper } from '../serving/row-keys.js';
import type { BlockPredictor } from '../serving/row-server.js';
import { type AnswerOptions, refuseUnknown } from './answer-part.js';
import { type ColumnBatch, ColumnBlock } from './column-block.js';

/** Reads the names and values of columns as a model means them. */
export class ColumnReader {
  readonly #blocks: BlockPredictor;
  readonly #unknown: AnswerOptions['unknown'];
  readonly #check: SchemaCheck;
  /** The place of each column by its name, as a row would have it. */
  #sent: Readonly<Record<string, number>> = {};

  constructor(blocks: BlockPredictor, { unknown }: AnswerOptions, check: SchemaCheck) {
    this.#blocks = blocks;
    this.#unknown = unknown;
    this.#check = check;
  }

  /**
   * Returns the place of each column that the model knows, by the model's name. Of two columns of one name the last
   * counts, as in an object of JSON.
   *
   * @throws {UnknownNamesError} if there are others, and they are to be refused.
   */
  places(names: readonly string[]): ReadonlyMap<string, number> {
    const sent = Object.fromEntries(names.map((name, place) => [name, place]));
    this.#sent = sent;
    const { renamed, keys, unknown } = new ColumnMapper(this.#blocks.names).layoutOf(sent);
    if (unknown.length > 0 && this.#unknown === 'refuse') {
      const check = this.#blocks.check();
      check.addColumns(sent, 1, () => 0);
      refuseUnknown(check);
    }
    const isUnknown = new Set(unknown);
    const known = keys.filter((key) => !isUnknown.has(key));
    return new Map(known.map((key) => [renamed.get(key) ?? key, sent[key] ?? 0]));
  }

  /** Counts what the model does not know in a batch, and cuts it into blocks. */
  *blocks(batch: ColumnBatch): Generator<ColumnBlock> {
    const { binner, maxRows } = this.#blocks;
    this.#check.addColumns(this.#sent, batch.length, (finder) => {
      const vector = batch.vectors.get(finder.cell.name);
      return vector === undefined ? 0 : suspectsIn(vector, finder, batch.length);
    });
    for (let start = 0; start < batch.length; start += maxRows) {
      yield new ColumnBlock(batch, start, Math.min(maxRows, batch.length - start), binner);
    }
  }
}

function suspectsIn(vector: Vector, finder: OutlierCheck, rows: number): number {
  let count = 0;
  if (vector.kind === 'number') {
    // NaN is suspect no more than a missing value.
    for (const value of vector.values) if (finder.isSuspect(value)) count++;
    return count;
  }
  if (vector.kind !== 'entries') {
    for (let row = 0; row < rows; row++) if (finder.isSuspect(vector.value(row))) count++;
    return count;
  }
  const isSuspect = vector.entries.findings(finder);
  for (let row = 0; row < rows; row++) {
    const code = vector.codes[row] ?? 0;
    let found = isSuspect[code] ?? -1;
    if (found < 0) {
      found = finder.isSuspect(vector.value(row)) ? 1 : 0;
      if (code >= 0) isSuspect[code] = found;
    }
    count += found;
  }
  return count;
}
