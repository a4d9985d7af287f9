import type { ModelBase } from '../model/model.js';
import { type ColumnSummary, minRowsPerLeaf } from '../table/column-profile.js';
import type { RowTable } from '../table/table.js';
import { prepareTable } from '../trees/binning/dataset.js';
import type { Forest, Scores } from '../trees/forest/tree.js';
import { seededRandom, shuffledRange } from '../trees/random.js';
import type { TrainingEffort } from './effort.js';
import { type ExplainedScore, explainOutOfFold } from './explain-held-out.js';
import { fitForests } from './fit-forests.js';
import type { Fitted, Objective, OutOfFold } from './folds.js';
import { weighColumns } from './importance.js';
import { findUnseenBins, maskOutOfFold } from './partial-rows.js';
import type { Progress } from './progress.js';
import { orderToLearn, splitRows } from './row-split.js';

/**
 * The part of a task in the training of one model.
 *
 * @typeParam C what is calibrated of ordinary rows.
 * @typeParam P the part of the model for partial rows.
 */
export interface TaskTraining<O extends Objective<O>, C, P extends object, M> {
  readonly objective: O;
  /** Returns what values of columns are summarised by: numbers by row, one list for each statistic. */
  statisticTargets(): Float64Array[];
  /** Calibrates what forests say of rows that they were not trained on. */
  calibrate(fitted: Fitted<O>, progress: Progress): C;
  /**
   * Calibrates what they say of partial rows.
   *
   * @param masked copies of the rows in which values are masked.
   */
  calibratePartial(masked: OutOfFold<O>, model: readonly Forest[], progress: Progress): P;
  /** Sums up the losses of some rows: the scores of a row are at its index in `rows`. */
  judge(outOfFold: OutOfFold<O>, calibrated: C, scores: Scores, rows: Uint32Array): number;
  /** Judges the answer of each row that calibrates. */
  judgeRows(outOfFold: OutOfFold<O>, calibrated: C): JudgedRows;
  /** Turns a mean loss into the unit of the importance of columns. */
  toUnits(loss: number): number;
  /** Measures the model, and puts it together. */
  assemble(parts: TrainedParts<O, C, P>): M;
}

/** Rows of a table that were held out, and what became of each. */
export interface HeldOutRows extends JudgedRows {
  /** Indexes of the table. */
  readonly rows: Uint32Array;
  /** The indexes of the columns that answers may depend on. */
  readonly usedColumns: readonly number[];
  /** Returns the base of some answers, by their indexes in `rows`, and what each of `usedColumns` adds to it. */
  explain(indexes: readonly number[]): ExplainedScore[];
}

/** The answers to rows by forests that were not trained on them. */
export interface JudgedRows {
  /** The squared error, or the log loss, of each row. */
  readonly losses: Float64Array;
  readonly answers: JudgedNumbers | JudgedClasses;
  readonly scale: AnswerScale;
}

/** Turns a score into what callers see: the target's units, or the log-odds of the answered class. */
export interface AnswerScale {
  /** Returns the forest whose score an answer depends on most. */
  forestOf(index: number): number;
  score(index: number, score: number): number;
  /** The same for a difference of scores. */
  added(index: number, difference: number): number;
}

/** Predicted numbers, and the bounds of their intervals for `ERROR_LEVEL`. */
export interface JudgedNumbers {
  readonly task: 'regression';
  readonly predicted: Float64Array;
  readonly lower: Float64Array;
  readonly upper: Float64Array;
}

/** The most likely classes, as indexes, and the probabilities of the true ones. */
export interface JudgedClasses {
  readonly task: 'classification';
  readonly predicted: Uint16Array;
  readonly probability: Float64Array;
}

/** The confidence of the intervals around predictions that are judged. */
export const ERROR_LEVEL = 0.9;

/** A trained model, before its task puts it together. */
export interface TrainedParts<O, C, P> extends Pick<ModelBase, 'columns' | 'features'> {
  readonly fitted: Fitted<O>;
  readonly calibrated: C;
  /** Null, if there can be no partial rows. */
  readonly partial: (P & { readonly unfamiliar_bins: number[][] }) | null;
}

/**
 * Trains a model of any task: forests of gradient-boosted trees, calibrated and measured on rows that forests were
 * not trained on, in folds or, in a large table, held out; and once more for rows that leave out what the table
 * always had.
 */
export function trainModel<O extends Objective<O>, C, P extends object, M>(
  task: TaskTraining<O, C, P, M>,
  table: RowTable,
  progress: Progress,
  seed: number,
  effort: TrainingEffort,
  onHeldOut?: (heldOut: HeldOutRows) => void,
): M {
  const inColumns = progress.stage(0.04, table.columns.length);
  const random = seededRandom(seed);
  const order = shuffledRange(table.rowCount, random);
  const split = splitRows(table, order);
  const targets = { targets: task.statisticTargets(), ...orderToLearn(table, split, order) };
  const { columns, features, binned } = prepareTable(table, inColumns, targets);
  const fitted = fitForests(binned, task.objective, split, effort, progress);
  const { forests, outOfFold, testedRows } = fitted;
  const calibrated = task.calibrate(fitted, progress);
  const judged = task.judgeRows(outOfFold, calibrated);
  onHeldOut?.({ rows: testedRows, ...judged, ...explainAnswers(outOfFold, features, judged.scale) });
  const unfamiliar_bins = findUnseenBins(binned, minRowsPerLeaf(table.rowCount));
  const hasPartialRows = unfamiliar_bins.some((bins) => bins.length > 0);
  const partial = hasPartialRows
    ? {
        unfamiliar_bins,
        ...task.calibratePartial(maskOutOfFold(outOfFold, unfamiliar_bins, random), forests, progress),
      }
    : null;
  const judge = (scores: Scores, rows: Uint32Array) => task.judge(outOfFold, calibrated, scores, rows);
  const importance = weighColumns(fitted, judge, random, (loss) => task.toUnits(loss));
  return task.assemble({
    columns: columns.map((column, index): ColumnSummary => ({ ...column, importance: importance.get(index) ?? null })),
    features,
    fitted,
    calibrated,
    partial,
  });
}

/** Returns how held-out answers are explained, each by the forest that gave it. */
function explainAnswers(
  outOfFold: OutOfFold<unknown>,
  features: ModelBase['features'],
  scale: AnswerScale,
): Pick<HeldOutRows, 'usedColumns' | 'explain'> {
  const usedColumns = [...new Set(features.map(({ column }) => column))];
  const playerOf = features.map(({ column }) => usedColumns.indexOf(column));
  const explain = (indexes: readonly number[]) => {
    const rows = indexes.map((index) => outOfFold.testRows[index] ?? 0);
    const forestOf = (place: number) => scale.forestOf(indexes[place] ?? 0);
    return explainOutOfFold(outOfFold, usedColumns.length, playerOf, rows, forestOf).map(({ base, added }, place) => {
      const index = indexes[place] ?? 0;
      return { base: scale.score(index, base), added: added.map((value) => scale.added(index, value)) };
    });
  };
  return { usedColumns, explain };
}
