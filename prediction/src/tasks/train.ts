import type { ForecastTable } from '../table/series-table.js';
import type { ClassificationTable, RegressionTable, RowTable, Table } from '../table/table.js';
import type { Effort } from '../training/boosting-plan.js';
import { timedEffort } from '../training/effort.js';
import { Progress } from '../training/progress.js';
import { type HeldOutRows, trainModel } from '../training/train-model.js';
import type { ClassificationModel } from './classification/model.js';
import { ClassTraining } from './classification/training.js';
import type { Outcome } from './forecasting/backtest.js';
import type { SeriesModel } from './forecasting/series-model.js';
import { trainForecast } from './forecasting/training.js';
import type { Model, RowModel } from './models.js';
import type { RegressionModel } from './regression/model.js';
import { NumberTraining } from './regression/training.js';

export interface TrainOptions {
  /** Receives the share of the work that is done, 0 to 1, ascending; the last call says 1. */
  onProgress?: (share: number) => void;
  /** Decides which rows are held out, the folds, and what is masked. The same seed gives the same model. */
  seed?: number;
  /** The time that the training may take: `standard` if left out. Forecasts do not depend on it. */
  effort?: Effort;
  /**
   * Returns the share of the allowed time that has passed, 0 to 1 and more. A training of the effort `best` divides the
   * time among its parts, and ends each in time with the best so far; others take the time that they take.
   */
  timeSpent?: () => number;
  /** Called, once or more, when a part of the training has ended for lack of time. */
  onLate?: () => void;
  /** Receives the results of the model on rows that were held out. Forecasts have none. */
  onHeldOut?: (heldOut: HeldOutRows) => void;
  /** Receives the errors of the forecasts of the last backtest, by step. */
  onBacktest?: (outcomes: readonly (readonly Outcome[])[]) => void;
}

/** Trains a model on a table: a regressor, a classifier or a forecaster, as the table's task says. Occupies its thread. */
export function train(table: RegressionTable, options?: TrainOptions): RegressionModel;
export function train(table: ClassificationTable, options?: TrainOptions): ClassificationModel;
export function train(table: RowTable, options?: TrainOptions): RowModel;
export function train(table: ForecastTable, options?: TrainOptions): SeriesModel;
export function train(table: Table, options?: TrainOptions): Model;
export function train(table: Table, { onProgress, ...options }: TrainOptions = {}): Model {
  const progress = new Progress(onProgress ?? (() => {}));
  const model = trainTask(table, progress, options);
  progress.finish();
  return model;
}

function trainTask(table: Table, progress: Progress, options: TrainOptions): Model {
  const { seed = 1, onHeldOut, onBacktest } = options;
  const { effort = 'standard', timeSpent = () => 0, onLate = () => {} } = options;
  const timed = timedEffort(effort, timeSpent, onLate);
  switch (table.task) {
    case 'regression':
      return trainModel(new NumberTraining(table), table, progress, seed, timed, onHeldOut);
    case 'classification':
      return trainModel(new ClassTraining(table), table, progress, seed, timed, onHeldOut);
    case 'forecast':
      return trainForecast(table, progress, seed, onBacktest);
  }
}
