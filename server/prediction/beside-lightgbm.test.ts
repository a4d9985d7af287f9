import { expect, test } from 'vitest';
import { prepareTable } from './features.js';
import { type Dataset, errorOf, judge } from './fixtures.js';
import { type Model, Predictor, type Table } from './index.js';
import { Learner } from './learner.js';
import { toStandard } from './target-scale.js';
import { everyRow } from './trials.js';

/**
 * The root mean squared errors of LightGBM 4.1.0 (its command line) on the test rows of
 * `judge`, learnt from all of the other rows: objective=regression num_trees=100
 * num_leaves=31 learning_rate=0.1 min_data_in_leaf=20 max_bin=255, text columns as
 * categorical_feature, dates as milliseconds and as the same parts that Roster makes of them.
 */
const LIGHTGBM: { name: Dataset; target: string; error: number }[] = [
  { name: 'diamonds', target: 'price', error: 617.495 },
  { name: 'txhousing', target: 'median', error: 8573.14 },
  { name: 'txhousing', target: 'sales', error: 62.9352 },
  { name: 'chicago', target: 'ridership', error: 1.61615 },
  { name: 'concrete', target: 'compressive_strength', error: 4.52631 },
];

/** The model, but with a forest grown at the settings above. */
function atTheSameSettings(table: Table, model: Model): Model {
  const target = table.targetValues.map((value) => toStandard(model.target_scale, value));
  const learner = new Learner(prepareTable(table).binned);
  const limits = { leaves: 31, leafRows: 20 };
  const rows = everyRow(table.rowCount);
  return {
    ...model,
    value_forest: learner.boost(rows, target, limits, 100, () => {}),
    partial_rows: null,
  };
}

test.each(LIGHTGBM)(
  'on $name, $target, errors are at most 3 % above LightGBM at its settings, and below it at ours',
  async ({ name, target, error }) => {
    const { table, model, testRows } = await judge(name, target);
    const errorWith = (of: Model) => errorOf(new Predictor(of).predict(testRows));
    expect(errorWith(atTheSameSettings(table, model)) / error).toBeLessThan(1.03);
    expect(errorWith(model) / error).toBeLessThan(1);
  },
);
