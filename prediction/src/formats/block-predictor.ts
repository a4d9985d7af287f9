import type { SetChooser } from '../classes/prediction-sets.js';
import type { RowCheck } from '../row-check/row-check.js';
import type { ModelNames } from '../row-check/row-keys.js';
import type { JsonBuffer } from '../serving/json-buffer.js';
import type { ClassReader, PredictedClasses } from '../serving/predicted-classes.js';
import type { RowBinner, RowBlock } from '../serving/row-binner.js';
import type { PredictedRows } from '../serving/row-predictor.js';
import type { RowObject } from '../table/cells.js';
import type { ColumnSummary } from '../table/column-profile.js';
import type { Task } from '../table/table.js';

/** The predictions of a block. The next block overwrites them. */
export type BlockAnswers =
  | { readonly task: 'regression'; readonly predicted: PredictedRows }
  | {
      readonly task: 'classification';
      readonly predicted: PredictedClasses;
      /** The names of the classes, by index. */
      readonly names: readonly string[];
      /** Returns the chooser of a row's set. */
      readonly chooserOf: (index: number) => SetChooser;
      /** Finds the class of a row's own value. */
      readonly reader: ClassReader;
    };

/** Predicts the rows of one body, block by block. */
export interface BlockPredictor {
  /** The input columns, in the order of the answer. */
  readonly columns: readonly ColumnSummary[];
  readonly target: string;
  readonly task: Task;
  readonly names: ModelNames;
  readonly binner: RowBinner;
  /** The most rows of a block. */
  readonly maxRows: number;
  predict(block: RowBlock): BlockAnswers;
  /** Writes a row of the block that was predicted last, as JSON. */
  writeJson(out: JsonBuffer, row: RowObject, index: number): void;
  /** Begins a check of the rows. */
  check(): RowCheck;
}
