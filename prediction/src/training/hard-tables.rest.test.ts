/** Tables in which a sample of rows or columns may lack what a tree needs, with each effort. */
import { describe, expect, test } from 'vitest';
import { makeRows, type Row } from '../../../testkit/prediction/sample-tables.js';
import { Classifier, decodeModel, encodeModel, type Model, Predictor, readRowsTable, train } from '../index.js';

describe.each(['fast', 'standard', 'best'] as const)('with the effort %s', (effort) => {
  /** Trains a model, and reads it as it would be read from the store. */
  const trainOn = (rows: readonly Row[]): Model => {
    return decodeModel(encodeModel(train(readRowsTable(rows, 'y'), { effort })));
  };

  /** Trains a model of numbers, which must predict finite numbers within their bounds, and returns the predictions. */
  function predictNumbers(rows: readonly Row[]): number[] {
    const model = trainOn(rows);
    if (model.task !== 'regression') throw new Error('The target is a number.');
    const predictions = new Predictor(model).predict(rows);
    for (const { value, min, max } of predictions) {
      expect(Number.isFinite(value) && Number.isFinite(min) && Number.isFinite(max)).toBe(true);
      expect(min).toBeLessThanOrEqual(value);
      expect(max).toBeGreaterThanOrEqual(value);
    }
    return predictions.map(({ value }) => value);
  }

  /** Trains a model of classes, whose probabilities must add up to 1, and returns the classes that it predicts. */
  function predictClasses(rows: readonly Row[]): string[] {
    const model = trainOn(rows);
    if (model.task !== 'classification') throw new Error('The target is a class.');
    const predictions = new Classifier(model).predict(rows);
    for (const { probabilities } of predictions) {
      expect(probabilities.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 5);
    }
    return predictions.map((prediction) => prediction.class);
  }

  const errorOf = (rows: readonly Row[], predicted: readonly number[]) =>
    rows.reduce((sum, { y }, row) => sum + Math.abs(Number(y) - (predicted[row] ?? 0)), 0) / rows.length;

  test('samples that lack a class of ten rows leave the other classes, and the class itself is predicted', () => {
    const rows = makeRows(120, (random, row) => {
      const x = random();
      const y = row % 12 === 0 ? 'rare' : x > 0.5 ? 'high' : 'low';
      return { x: y === 'rare' ? x + 2 : x, z: random(), y };
    });
    expect(rows.filter(({ y }) => y === 'rare')).toHaveLength(10);
    const predicted = predictClasses(rows);
    expect(new Set(predicted)).toEqual(new Set(['rare', 'high', 'low']));
    expect(rows.filter(({ y }, row) => y === predicted[row]).length).toBeGreaterThan(100);
  });

  test('eight classes of ten rows each are distinguished', () => {
    const rows = makeRows(80, (random, row) => ({ x: (row % 8) + random() / 2, z: random(), y: `class ${row % 8}` }));
    expect(new Set(predictClasses(rows)).size).toBeGreaterThan(5);
  });

  test('a column that is all missing but for a few rows, which a sample may leave out, is learnt with', () => {
    const rows = makeRows(60, (random, row) => {
      const x = random();
      return { x, few: row % 20 === 0 ? 1 + random() : null, y: x + (row % 20 === 0 ? 5 : 0) };
    });
    predictNumbers(rows);
  });

  test('a target that a single row moves is learnt with', () => {
    const rows = makeRows(50, (random, row) => ({ x: random(), z: random(), y: row === 7 ? 1e6 : 0 }));
    predictNumbers(rows);
  });

  test('columns that are copies predict as one of them does', () => {
    const rows = makeRows(150, (random) => {
      const x = 10 * random();
      return { x, y: 3 * Math.sin(x) + random() / 10 };
    });
    const copies = rows.map((row) => ({ ...row, copy: row['x'], other: row['x'] }));
    const alone = errorOf(rows, predictNumbers(rows));
    expect(alone).toBeLessThan(1);
    expect(errorOf(copies, predictNumbers(copies))).toBeLessThan(1.5 * alone + 0.1);
  });

  test('a single column of two values is learnt from', () => {
    const rows = makeRows(60, (random, row) => ({ x: row % 2 === 0 ? 'a' : 'b', y: (row % 2) * 10 + random() }));
    const predicted = predictNumbers(rows);
    expect(predicted[1]).toBeGreaterThan((predicted[0] ?? 0) + 5);
    const classes = rows.map(({ x }, row) => ({ x, y: row % 2 === 0 ? 'even' : 'odd' }));
    expect(predictClasses(classes).slice(0, 2)).toEqual(['even', 'odd']);
  });
});
