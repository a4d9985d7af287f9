import { describe, expect, test } from 'vitest';
import { band, covered, judge, makeRows, type Row, readRows } from '../fixtures.js';
import { Predictor, train } from '../index.js';
import { seededRandom, shuffledRange } from '../random.js';

/** A copy of a row without the given columns. */
function without(row: Row, names: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !names.includes(name)));
}

/** Copies of the rows without one to all of the columns, any number and any set equally often. */
function maskAtRandom(rows: readonly Row[], names: readonly string[]): Row[] {
  const random = seededRandom(99);
  return rows.map((row) => {
    const count = 1 + Math.floor(random() * names.length);
    const masked = shuffledRange(names.length, random).subarray(0, count);
    return without(
      row,
      names.filter((_, index) => masked.includes(index)),
    );
  });
}

function average(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}

/**
 * A level holds for partial rows taken together; rows that all leave out the same columns are few
 * among those that calibrated it, and may fall short by this much. The worst here are diamonds of
 * unseen clarity.
 */
const OFF = 0.08;

const diamonds = await judge('diamonds', 'price');
const housing = await judge('txhousing', 'median');

describe.each([
  { name: 'diamonds', ...diamonds, main: 'carat', minor: 'table', category: 'clarity' },
  { name: 'txhousing', ...housing, main: 'city', minor: 'month', category: 'city' },
])(
  'on $name, rows that leave out what the table always had',
  ({ model, predictor, testRows, target, main, minor, category }) => {
    const names = model.columns.map(({ name }) => name);
    const masked = maskAtRandom(testRows, names);
    const unseen = testRows.map((row) => ({ ...row, [category]: 'unheard of' }));
    const alike = [
      { left: main, rows: testRows.map((row) => without(row, [main])) },
      { left: minor, rows: testRows.map((row) => without(row, [minor])) },
      { left: 'all', rows: testRows.map((row) => without(row, names)) },
      {
        left: `all but ${main}`,
        rows: testRows.map((row) => ({ ...empty(row), [main]: row[main] })),
      },
      { left: `${category}, which is unseen`, rows: unseen },
    ];

    function empty(row: Row): Row {
      return { [target]: row[target] };
    }

    test.each([0.5, 0.8, 0.9])('are covered at level %d, whatever they leave out', (level) => {
      const share = covered(predictor.predict(masked, { confidence: level }));
      const tolerance = band(level, model.metrics.held_out_rows, masked.length);
      expect(Math.abs(share - level)).toBeLessThan(tolerance);
    });

    test('get confidences that are true, low ones and high ones', () => {
      const byConfidence = predictor
        .predict(masked)
        .toSorted((a, b) => a.confidence - b.confidence);
      const third = Math.floor(byConfidence.length / 3);
      for (const part of [0, 1, 2].map((of) => byConfidence.slice(of * third, (of + 1) * third))) {
        const said = part.map(({ confidence }) => confidence);
        const variance = average(said.map((level) => level * (1 - level)));
        const calibrated = model.metrics.held_out_rows / 3;
        const tolerance = 3 * Math.sqrt(variance * (1 / calibrated + 1 / third));
        expect(Math.abs(covered(part) - average(said))).toBeLessThan(tolerance);
      }
    });

    test.each(alike)('are not badly under-covered if they all leave out $left', ({ rows }) => {
      for (const level of [0.5, 0.8, 0.9]) {
        const share = covered(predictor.predict(rows, { confidence: level }));
        expect(share).toBeGreaterThan(level - OFF);
      }
      const own = predictor.predict(rows);
      expect(covered(own)).toBeGreaterThan(average(own.map((p) => p.confidence)) - OFF);
    });

    test('leave the answers to other rows as they are, to the last bit', () => {
      const plain = new Predictor({ ...model, partial_rows: null });
      const rows = testRows.slice(0, 300);
      const mixed = predictor.predict(rows.flatMap((row) => [row, empty(row)]));
      expect(mixed.filter((_, index) => index % 2 === 0)).toEqual(plain.predict(rows));
    });

    test('are as unsure as the target varies if they leave out everything', () => {
      const complete = average(predictor.predict(testRows).map(({ confidence }) => confidence));
      const nothing = predictor.predict([{}, null, 7, 'text', [], { other: 1 }]);
      for (const prediction of nothing) expect(prediction).toEqual(nothing[0]);
      const [{ value, confidence } = { value: 0, confidence: 1 }] = nothing;
      expect(confidence).toBeLessThan(complete - 0.3);
      const targets = testRows.map((row) => Number(row[target]));
      const offMean = Math.abs(value - average(targets));
      expect(offMean).toBeLessThan(model.metrics.baseline_rmse / 4);
    });

    test('cost little where the column matters little', () => {
      const confidenceOf = (left: string) =>
        average(
          predictor.predict(testRows.map((row) => without(row, [left]))).map((p) => p.confidence),
        );
      expect(confidenceOf(minor)).toBeGreaterThan(confidenceOf(category) + 0.01);
    });
  },
);

describe('gaps that training has learnt about', () => {
  test('leave a row ordinary', () => {
    const plain = new Predictor({ ...housing.model, partial_rows: null });
    const gaps = housing.testRows.slice(0, 300).map((row) => without(row, ['listings']));
    expect(housing.predictor.predict(gaps)).toEqual(plain.predict(gaps));
  });

  test('in every column leave nothing to learn about partial rows', () => {
    const rows = makeRows(400, (random, index) => ({
      a: index % 3 === 0 ? null : random(),
      b: index % 5 === 0 ? null : random(),
      y: index % 3 === 0 ? 9 : random(),
    }));
    const model = train(readRows(rows, 'y'));
    expect(model.partial_rows).toBeNull();
    expect(new Predictor(model).predict([{}])).toMatchObject([{ original: null }]);
  });

  test('do not excuse a category that it has not seen', () => {
    const rows = makeRows(1000, (random, index) => ({
      kind: index % 4 === 0 ? null : `k${index % 4}`,
      x: random(),
      y: (index % 4) * 10 + random(),
    }));
    const predictor = new Predictor(train(readRows(rows, 'y')));
    const [missing, unseen] = predictor.predict([{ x: 0.5 }, { x: 0.5, kind: 'new' }], {
      confidence: 0.9,
    });
    const width = (p = missing) => (p?.max ?? 0) - (p?.min ?? 0);
    expect(missing?.value).toBeCloseTo(0.5, 0);
    expect(width(missing)).toBeLessThan(5);
    expect(width(unseen)).toBeGreaterThan(10);
  });
});
