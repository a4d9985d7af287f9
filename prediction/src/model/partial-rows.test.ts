import { describe, expect, test } from 'vitest';
import { makeRows, QUICK, readRows } from '../../../testkit/prediction/sample-tables.js';
import { Predictor, train } from '../index.js';

describe('gaps that training has learnt about', () => {
  test('in every column leave nothing to learn about partial rows', () => {
    const rows = makeRows(400, (random, index) => ({
      a: index % 3 === 0 ? null : random(),
      b: index % 5 === 0 ? null : random(),
      y: index % 3 === 0 ? 9 : random(),
    }));
    const model = train(readRows(rows, 'y'), QUICK);
    expect(model.partial_rows).toBeNull();
    expect(new Predictor(model).predict([{}])).toMatchObject([{ original: null }]);
  });

  test('do not excuse a category that it has not seen', () => {
    const rows = makeRows(1000, (random, index) => ({
      kind: index % 4 === 0 ? null : `k${index % 4}`,
      x: random(),
      y: (index % 4) * 10 + random(),
    }));
    const predictor = new Predictor(train(readRows(rows, 'y'), QUICK));
    const [missing, unseen] = predictor.predict([{ x: 0.5 }, { x: 0.5, kind: 'new' }], { confidence: 0.9 });
    const width = (p = missing) => (p?.max ?? 0) - (p?.min ?? 0);
    expect(missing?.value).toBeCloseTo(0.5, 0);
    expect(width(missing)).toBeLessThan(5);
    expect(width(unseen)).toBeGreaterThan(10);
  });
});
