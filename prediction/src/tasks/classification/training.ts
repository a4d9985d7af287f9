import type { ClassificationTable } from '../../table/table.js';
import { countRounds, type Fitted, type OutOfFold } from '../../training/folds.js';
import { correctForests } from '../../training/partial-rows.js';
import type { Progress } from '../../training/progress.js';
import type { JudgedRows, TaskTraining, TrainedParts } from '../../training/train-model.js';
import type { Forest, Scores } from '../../trees/forest/tree.js';
import { correctionTreeParams } from '../../trees/params.js';
import { type ClassCalibration, calibrateClasses, type ScoredRows } from './calibration.js';
import { measureClasses } from './metrics.js';
import type { ClassificationModel, ClassPartialRows } from './model.js';
import { ClassObjective } from './objective.js';
import { measureLoss, mostLikely, ProbabilityEstimator } from './probabilities.js';

/** The most trees that correct scores of partial rows, and the rounds where classes are few and many. */
const CORRECTION_TREES = 150;
const MAX_ROUNDS = 30;
const MIN_ROUNDS = 6;

/** The most classes whose shares summarise the values of a column. */
const MAX_STATISTICS = 4;

type PartialPart = Omit<ClassPartialRows, 'unfamiliar_bins'>;

/** Trains a classifier: forests whose scores become probabilities and sets of classes. */
export class ClassTraining implements TaskTraining<ClassObjective, ClassCalibration, PartialPart, ClassificationModel> {
  readonly objective: ClassObjective;

  constructor(private readonly table: ClassificationTable) {
    this.objective = new ClassObjective({
      labels: table.targetClasses,
      classCount: table.classes.length,
      shares: Float64Array.from(table.classes, ({ rows }) => rows / table.rowCount),
    });
  }

  /** The shares of the most frequent classes: of two classes, of one. */
  statisticTargets(): Float64Array[] {
    const { labels, classCount } = this.objective.target;
    const count = classCount === 2 ? 1 : Math.min(classCount, MAX_STATISTICS);
    return Array.from({ length: count }, (_, index) => Float64Array.from(labels, (label) => (label === index ? 1 : 0)));
  }

  calibrate({ outOfFold }: Fitted<ClassObjective>): ClassCalibration {
    return calibrateClasses(scoredRows(outOfFold));
  }

  /** Boosting goes on from the scores that the forests give, and what comes of it is calibrated by itself. */
  calibratePartial(masked: OutOfFold<ClassObjective>, model: readonly Forest[], progress: Progress): PartialPart {
    const rounds = Math.floor(CORRECTION_TREES / this.objective.forestCount);
    const limited = Math.min(Math.max(rounds, MIN_ROUNDS), MAX_ROUNDS);
    const onRound = progress.stage(0.12, countRounds(masked, limited));
    const { forests, scores } = correctForests(masked, model, limited, correctionTreeParams, onRound);
    const values = masked.scores.values.map((score, at) => score + (scores.values[at] ?? 0));
    const corrected = { ...masked, scores: { ...scores, values } };
    return { correction_forests: forests, ...calibrateClasses(scoredRows(corrected)) };
  }

  /** The log loss of the calibrated probabilities. */
  judge(
    { objective: { target } }: OutOfFold<ClassObjective>,
    { probabilities }: ClassCalibration,
    scores: Scores,
    rows: Uint32Array,
  ): number {
    const estimator = new ProbabilityEstimator(probabilities);
    const ofRow = new Float64Array(target.classCount);
    let sum = 0;
    for (const [index, row] of rows.entries()) {
      estimator.write(ofRow, 0, scores, index);
      sum -= Math.log(ofRow[target.labels[row] ?? 0] ?? 1);
    }
    return sum;
  }

  judgeRows(outOfFold: OutOfFold<ClassObjective>, { probabilities }: ClassCalibration): JudgedRows {
    const { rows, scores, labels, classCount } = scoredRows(outOfFold);
    const estimator = new ProbabilityEstimator(probabilities);
    const ofRows = estimator.ofRows(scores, rows);
    const probability = Float64Array.from(rows, (row, index) => ofRows[index * classCount + (labels[row] ?? 0)] ?? 0);
    const predicted = Uint16Array.from(rows, (_, index) => mostLikely(ofRows, index * classCount, classCount));
    const classOf = (index: number) => predicted[index] ?? 0;
    return {
      losses: probability.map(measureLoss),
      answers: { task: 'classification', predicted, probability },
      scale: {
        forestOf: (index) => estimator.forestOf(classOf(index)),
        score: (index, score) => estimator.score(classOf(index), score),
        added: (index, difference) => estimator.slope(classOf(index)) * difference,
      },
    };
  }

  toUnits(loss: number): number {
    return loss;
  }

  assemble({
    columns,
    features,
    fitted: { forests, outOfFold },
    calibrated,
    partial,
  }: TrainedParts<ClassObjective, ClassCalibration, PartialPart>): ClassificationModel {
    const { target, rowCount, classes, missingWords } = this.table;
    const names = classes.map(({ name }) => name);
    return {
      task: 'classification',
      target,
      ...(missingWords && { missing_words: missingWords }),
      row_count: rowCount,
      classes,
      columns,
      ...measureClasses(scoredRows(outOfFold), names),
      features,
      class_forests: forests,
      ...calibrated,
      partial_rows: partial,
    };
  }
}

function scoredRows({ objective, scores, testRows, method }: OutOfFold<ClassObjective>): ScoredRows {
  const { labels, classCount } = objective.target;
  return { scores, rows: testRows, labels, classCount, isInOrder: method === 'last' };
}
