import { describe, expect, test } from 'vitest';
import { makeRows, QUICK, readRows, rentRows } from '../../../testkit/prediction/sample-tables.js';
import {
  createPredictor,
  createPredictorInSteps,
  decodeModel,
  decodeModelInSteps,
  encodeModel,
  type Steps,
  train,
} from '../index.js';

const rows = makeRows(2500, (random, index) => ({
  x: random() / 3,
  place: `lone \ud800 ${Math.floor(20 * random())}`,
  day: `2024-01-${10 + (index % 20)}`,
  y: random() / 7 + (index % 20),
}));
const model = train(readRows(rows, 'y'), QUICK);

test('a model comes back from bytes as it was, and predicts the same to the last bit', () => {
  const bytes = encodeModel(model);
  const decoded = decodeModel(bytes);
  expect(decoded).toEqual(model);
  expect(Buffer.from(bytes).equals(encodeModel(decoded))).toBe(true);
  const asked = [...rows, {}, { x: 0.1 }, { ...rows[0], place: 'unheard of' }];
  const before = Buffer.concat([...createPredictor(model).answer(asked)]).toString();
  expect(Buffer.concat([...createPredictor(decoded).answer(asked)]).toString()).toBe(before);
});

test('a model of a later release is refused, in words that say so', () => {
  const text = Buffer.from(encodeModel(model)).toString();
  expect(() => decodeModel(Buffer.from(text.replace('roster-model/2', 'roster-model/3')))).toThrow(
    'A later release of Roster wrote it, in the format roster-model/3; this one reads roster-model/2.',
  );
});

test('a model is read and made ready in small steps', () => {
  const bytes = encodeModel(model);
  let steps = 0;
  const take = <T>(work: Steps<T>): T => {
    for (;;) {
      const step = work.next();
      if (step.done) return step.value;
      steps++;
    }
  };
  const predictor = take(createPredictorInSteps(take(decodeModelInSteps(bytes))));
  if (model.task !== 'regression') throw new Error('The target is a number.');
  const { columns, features, value_forest, error_forest } = model;
  const trees = value_forest.trees.length + error_forest.trees.length;
  // A step for each column, feature and tree that is read, and for each eight trees that are laid out.
  expect(steps).toBeGreaterThan(2 * (columns.length + features.length) + (9 / 8) * trees);
  expect(predictor.predict(rows)).toEqual(createPredictor(model).predict(rows));
});

describe('bytes that are not a sound model are refused', () => {
  const sound = train(readRows(rentRows(60), 'rent'), QUICK);
  const text = new TextDecoder().decode(encodeModel(sound));

  test.each([
    ['no JSON', () => '{'],
    ['no model', () => '{}'],
    ['another version', () => text.replace('roster-model/2', 'roster-model/3')],
    ['a part that is missing', () => text.replace('"error_floor"', '"floor"')],
    ['a feature that is missing', () => text.replace(/"feature":\d+/, '"feature":9')],
    ['a column that is missing', () => text.replace(/"column":\d+/, '"column":9')],
    ['a tree that is missing', () => text.replace(/\n.*\n$/, '\n')],
    ['a tree too many', () => text.replace(/\n(.*\n)$/, '\n$1$1')],
    ['a walk in a circle', () => text.replace(/"left":\d+/, '"left":0')],
    ['a leaf that is missing', () => text.replace(/"left":-\d+/, '"left":-40')],
    ['a feature of which partial rows know nothing', () => text.replace('_bins":[[0],', '_bins":[')],
    ['a group that is missing', () => text.replace(/"upper_bounds":\[\]/g, '"upper_bounds":[1]')],
    ['a number that is missing', () => text.replace(/"base":[^,]+/, '"base":null')],
  ])('%s', (_name, damage) => {
    const damaged = damage();
    expect(damaged).not.toBe(text);
    expect(() => decodeModel(new TextEncoder().encode(damaged))).toThrow();
  });

  test('a cut text', () => {
    expect(() => decodeModel(encodeModel(sound).subarray(0, 1000))).toThrow();
  });
});
