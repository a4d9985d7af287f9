import { describe, expect, test } from 'vitest';
import { readRowsTable } from '../table/row-reader.js';
import type { Model } from '../tasks/models.js';
import { NumberObjective } from '../tasks/regression/objective.js';
import { type TrainOptions, train } from '../tasks/train.js';
import { prepareTable } from '../trees/binning/dataset.js';
import { Learner } from '../trees/boosting/learner.js';
import type { Forest } from '../trees/forest/tree.js';
import { seededRandom } from '../trees/random.js';
import { planBoosting } from './boosting-plan.js';
import { everyRow } from './folds.js';
import { fitMean } from './mean-of-forests.js';

const random = seededRandom(4);
const rows = Array.from({ length: 60 }, (_, row) => {
  const [x, z] = [random() * 10, random() * 4];
  const place = ['north', 'south', 'east'][row % 3];
  return {
    x,
    copy: x,
    z,
    place,
    y: 3 * Math.sin(x) + z * (row % 3) + random(),
    kind: x + random() > 5 ? 'high' : 'low',
  };
});
const numbers = () =>
  readRowsTable(
    rows.map(({ kind: _, ...row }) => row),
    'y',
  );
const classes = () =>
  readRowsTable(
    rows.map(({ y: _, ...row }) => row),
    'kind',
  );

/** Returns the table of numbers as it is learnt from. */
function learnt() {
  const table = numbers();
  if (table.task !== 'regression') throw new Error('The target is a number.');
  return { learner: new Learner(prepareTable(table).binned), objective: new NumberObjective(table.targetValues) };
}

function treesOf(table: ReturnType<typeof numbers>, options: TrainOptions): number {
  return treesIn(train(table, options));
}

function treesIn(model: Model): number {
  if (model.task === 'forecast') throw new Error('The table has rows.');
  const forests = model.task === 'regression' ? [model.value_forest] : model.class_forests;
  return forests.reduce((sum, { trees }) => sum + trees.length, 0);
}

describe('the effort of a training', () => {
  test('the same effort gives the same model, to the last bit, and another gives other trees', () => {
    for (const table of [numbers, classes]) {
      expect(train(table(), { effort: 'standard' })).toEqual(train(table()));
      expect(train(table(), { effort: 'fast' })).toEqual(train(table(), { effort: 'fast' }));
      expect(treesOf(table(), { effort: 'fast' })).toBeLessThan(treesOf(table(), {}));
    }
  });

  test('the best effort ends each of its parts in time, with the best model so far', () => {
    /** Trains as if a call took a share of the time; returns the model, and whether it reported that it is late. */
    const trainIn = (shareOfCall: number, table = numbers()) => {
      let isLate = false;
      let calls = 0;
      const timeSpent = () => shareOfCall * calls++;
      const onLate = () => {
        isLate = true;
      };
      return { model: train(table, { effort: 'best', timeSpent, onLate }), isLate, calls };
    };
    const whole = trainIn(0);
    expect(whole.isLate).toBe(false);
    expect(whole.model).toEqual(train(numbers(), { effort: 'best' }));
    for (const share of [1, 0.01, 0.002]) {
      const late = trainIn(share);
      expect(late.isLate).toBe(true);
      expect(late.calls).toBeLessThan(whole.calls);
      expect(late.model).toEqual(trainIn(share).model);
      expect(late.model.metrics).not.toBeNull();
      expect(treesIn(late.model)).toBeGreaterThan(0);
    }
    expect(treesIn(trainIn(1).model)).toBe(1);
    expect(treesIn(trainIn(1, classes()).model)).toBe(1);
  });

  test('other efforts take the time that they take', () => {
    for (const effort of ['fast', 'standard'] as const) {
      expect(train(numbers(), { effort, timeSpent: () => 2 })).toEqual(train(numbers(), { effort }));
    }
  });

  test('progress ends at 1 and never falls, whatever the effort', () => {
    for (const effort of ['fast', 'standard', 'best'] as const) {
      const shares: number[] = [];
      train(classes(), { effort, onProgress: (share) => shares.push(share) });
      expect(shares.at(-1)).toBe(1);
      expect(shares).toEqual([...shares].sort((one, other) => one - other));
    }
  });
});

test('the scores of a mean of forests are the means of the scores of its forests', () => {
  const { learner, objective } = learnt();
  const all = everyRow(learner.rowCount);
  const plan = planBoosting(learner.rowCount, 1, true, 'standard');
  const { forests, gains } = fitMean(
    learner,
    objective,
    all,
    plan,
    15,
    () => false,
    () => () => undefined,
  );
  const alone = Array.from({ length: plan.maxForests }, (_, index) => {
    const tree = { ...plan.tree, seed: (plan.tree.seed ?? 0) + index };
    return learner.booster(all, tree, objective.createLoss(plan.learningRate)).addRounds(15);
  });
  expect(plan.maxForests).toBeGreaterThan(1);
  expect(forests[0]?.trees).toHaveLength(15 * plan.maxForests);
  expect(gains[0]).toHaveLength(15 * plan.maxForests);
  const score = (of: readonly Forest[]) => learner.score(of, all).values;
  const each = alone.map(score);
  const mean = score(forests);
  for (const row of all) {
    const expected = each.reduce((sum, scores) => sum + (scores[row] ?? 0), 0) / each.length;
    expect(mean[row]).toBeCloseTo(expected, 9);
  }
});
