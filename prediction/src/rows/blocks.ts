import type { ColumnSummary } from '../table/column-profile.js';
import type { Steps } from '../trees/steps.js';
import type { AnswerLayout, PredictedBlock, RowOptions } from './answer-layout.js';
import type { PromiseSettings } from './promise-memory.js';
import { ObjectBlock, type RowBinner, type RowBlock } from './row-binner.js';
import type { SchemaCheck } from './row-check.js';
import { ColumnMapper, type ModelNames } from './row-keys.js';
import type { RowWriter } from './row-writer.js';

/** The most rows of an answer that is one array of JSON. */
export const MAX_ARRAY_ROWS = 100_000;

export interface PredictOptions extends RowOptions {
  /**
   * The confidence of every interval or set of classes, 0.01 to 0.99. By default, it is 0.9 for sets, and each interval
   * gets the highest level at which it is no wider, before it is rounded, than one standard deviation of the target.
   */
  confidence?: number;
  /** For a forecaster, the number of steps of each series to forecast; the horizon without it. */
  steps?: number;
  /** For a forecaster, the number of steps before the end of each series where forecasts begin. */
  backtest?: number;
}

/** The facts of the rows of a body that a reader needs. */
export interface RowColumns {
  /** The input columns, in the order of the answer. */
  readonly columns: readonly ColumnSummary[];
  readonly layout: AnswerLayout;
  readonly names: ModelNames;
  readonly binner: RowBinner;
  /** The most rows of a block. */
  readonly maxRows: number;
  /** Begins a check of the rows. */
  check(): SchemaCheck;
}

/** Predicts the rows of one body, block by block. */
export interface BlockPredictor extends RowColumns {
  readonly writer: RowWriter;
  predict(block: RowBlock): PredictedBlock;
  /** Where something is to be laid out before the first rows: does so in steps. */
  readonly prepare?: () => Steps<void>;
  /** Where all rows are read before the first is answered: gathers them, and then answers in place of `predict`. */
  readonly gather?: () => RowGatherer;
  /** The means to remember the answer; undefined if it is not remembered. */
  readonly promiseSettings?: PromiseSettings | undefined;
}

/** Answers the rows of bodies, in any format. */
export interface BlockSource {
  /** @throws {InvalidRowsError} if an option does not fit the model */
  blocks(options: PredictOptions): BlockPredictor;
}

/** Rows of an answer, and what is predicted of them. */
export interface AnsweredBlock {
  readonly block: RowBlock;
  readonly predicted: PredictedBlock;
}

/** Takes all rows of a body, and answers with its own rows. */
export interface RowGatherer {
  /**
   * Adds rows, in steps.
   *
   * @throws {InvalidRowsError} if rows are at fault.
   */
  add(block: RowBlock): Steps<void>;
  /**
   * Prepares the answer, in steps.
   *
   * @param maxRows the most rows that the answer may have.
   * @throws {InvalidRowsError} if the rows cannot be answered.
   */
  answer(maxRows: number): Steps<GatheredAnswer>;
}

/** An answer whose rows are predicted when they are asked for. */
export interface GatheredAnswer {
  readonly rowCount: number;
  /** The blocks in order; undefined where other work may run. */
  readonly blocks: Iterable<AnsweredBlock | undefined>;
}

/** Yields rows in blocks, under the names of the model. */
export function* objectBlocks(
  rows: readonly unknown[],
  { names, binner, maxRows }: Pick<BlockPredictor, 'names' | 'binner' | 'maxRows'>,
): Generator<ObjectBlock> {
  const keys = new ColumnMapper(names);
  for (let start = 0; start < rows.length; ) {
    const read = keys.read(rows, start, maxRows);
    yield new ObjectBlock(read, binner);
    start += read.length;
  }
}
