import { pick } from '../../intervals/statistics.js';
import type { Objective } from '../../training/folds.js';
import type { CreateLoss } from '../../trees/boosting/booster.js';
import { squaredLoss } from '../../trees/boosting/squared-loss.js';
import type { Scores } from '../../trees/forest/tree.js';

/** Boosts one forest, whose sum is the predicted value, for its squared error. */
export class NumberObjective implements Objective<NumberObjective> {
  readonly forestCount = 1;

  /** @param target by row, in standard units. */
  constructor(readonly target: Float64Array) {}

  createLoss(learningRate: number): CreateLoss {
    return squaredLoss(this.target, learningRate);
  }

  createCorrection(scores: Scores): CreateLoss {
    return squaredLoss(this.residuals(scores));
  }

  /** By row, the value less the predicted one. */
  residuals({ values }: Scores): Float64Array {
    return this.target.map((value, row) => value - (values[row] ?? 0));
  }

  loss({ values }: Scores, rows: Uint32Array): number {
    let sum = 0;
    for (const row of rows) sum += ((this.target[row] ?? 0) - (values[row] ?? 0)) ** 2;
    return sum;
  }

  take(rows: Uint32Array): NumberObjective {
    return new NumberObjective(pick(this.target, rows));
  }
}
