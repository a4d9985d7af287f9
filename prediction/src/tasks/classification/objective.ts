import type { Objective } from '../../training/folds.js';
import type { CreateLoss } from '../../trees/boosting/booster.js';
import { type ClassTarget, forestCount, softmaxLoss } from '../../trees/boosting/softmax-loss.js';
import type { Scores } from '../../trees/forest/tree.js';

const CORRECTION_RATE = 0.1;

/** Boosts the forests of classes for the log loss of their softmax. */
export class ClassObjective implements Objective<ClassObjective> {
  readonly forestCount: number;

  constructor(readonly target: ClassTarget) {
    this.forestCount = forestCount(target.classCount);
  }

  createLoss(learningRate: number): CreateLoss {
    return softmaxLoss(this.target, learningRate);
  }

  createCorrection({ values }: Scores): CreateLoss {
    return softmaxLoss(this.target, CORRECTION_RATE, values);
  }

  loss({ values, stride }: Scores, rows: Uint32Array): number {
    const { labels, classCount } = this.target;
    let loss = 0;
    if (classCount === 2) {
      for (const row of rows) {
        const score = values[row] ?? 0;
        loss += Math.log1p(Math.exp(labels[row] === 1 ? -score : score));
      }
      return loss;
    }
    for (const row of rows) {
      let sum = 0;
      for (let at = row; at < values.length; at += stride) sum += Math.exp(values[at] ?? 0);
      loss += Math.log(sum) - (values[(labels[row] ?? 0) * stride + row] ?? 0);
    }
    return loss;
  }

  take(rows: Uint32Array): ClassObjective {
    const labels = Uint16Array.from(rows, (row) => this.target.labels[row] ?? 0);
    return new ClassObjective({ ...this.target, labels });
  }
}
