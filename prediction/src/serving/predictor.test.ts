import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeRows, QUICK, readRows, rentRows } from '../../../testkit/prediction/sample-tables.js';
import { answerRows, Predictor, train } from '../index.js';

const rent = new Predictor(train(readRows(rentRows(200), 'rent'), QUICK));

/** Levels and steps: the error grows with x, dates and categories shift the target. */
const mixedRows = makeRows(600, (random, index) => {
  const x = random();
  const day = new Date(Date.UTC(2024, 0, 1 + (index % 300))).toISOString().slice(0, 10);
  const kind = ['a', 'b', 'c'][index % 3] ?? 'a';
  return { x, day, kind, y: 10 * x + (index % 300) / 30 + (kind === 'a' ? 5 : 0) + x * random() };
});
const mixedModel = train(readRows(mixedRows, 'y'), QUICK);
const mixed = new Predictor(mixedModel);

function same(predictor: Predictor, rows: readonly unknown[]): void {
  const [first, ...others] = predictor.predict(rows);
  for (const other of others) expect(other).toEqual(first);
}

describe('cells are read as they were in training', () => {
  test('numbers, text of numbers, blanks and decimal commas', () => {
    same(
      mixed,
      [0.25, '0.25', ' 0.25 ', '0,25', '2.5e-1'].map((x) => ({ x, kind: 'a' })),
    );
  });

  test('whatever is missing', () => {
    const cells = [null, '', ' ', 'NA', 'n/a', 'NaN', 'None', {}, [1], 'not a number', true];
    same(mixed, [{ kind: 'b' }, ...cells.map((x) => ({ x, kind: 'b' }))]);
  });

  test('dates, but not numbers in their place', () => {
    same(
      mixed,
      ['2024-03-01', '2024-03-01T00:00:00Z', '2024-03-01 01:00+01:00'].map((day) => ({ day })),
    );
    same(mixed, [{}, { day: 1709251200000 }, { day: 'soon' }]);
    const [early, late] = mixed.predict([
      { x: 0.5, day: '2024-01-02' },
      { x: 0.5, day: '2024-10-01' },
    ]);
    expect(late?.value).toBeGreaterThan((early?.value ?? 0) + 5);
  });

  test('categories that training has not seen', () => {
    same(mixed, [
      { x: 0.5, kind: 'new' },
      { x: 0.5, kind: 'newer' },
      { x: 0.5, kind: 17 },
    ]);
  });

  test('numbers beyond any other, infinite or not', () => {
    same(mixed, [JSON.parse('{"x":1e400}'), { x: 1e308 }, { x: 2 }, { x: '1e999' }, { x: 'Infinity' }]);
    same(mixed, [JSON.parse('{"x":-1e400}'), { x: -1e308 }, { x: -0 }, { x: 0 }]);
  });

  test('a row that is not an object gives no values', () => {
    same(mixed, [{}, null, 1, 'x', true, [], [{ x: 1 }], { unknown: 1 }]);
  });

  test('only the own properties of a row', () => {
    const rows = makeRows(100, (random, index) =>
      JSON.parse(`{"constructor": ${index % 2}, "__proto__": ${random()}, "y": ${index % 2}}`),
    );
    const predictor = new Predictor(train(readRows(rows, 'y'), QUICK));
    const [without, zero, one] = predictor.predict([
      {},
      ...['{"constructor": 0, "__proto__": 1}', '{"constructor": 1}'].map((text) => JSON.parse(text)),
    ]);
    expect(zero?.value).toBeLessThan(0.5);
    expect(one?.value).toBeGreaterThan(0.5);
    expect(without).toMatchObject({ original: null, anomaly: null });
  });
});

test('the warnings of a row name no column in which the table had gaps, however few', async () => {
  const gappy = mixedRows.map((row, index) => (index === 300 ? { ...row, kind: null } : row));
  const predictor = new Predictor(train(readRows(gappy, 'y'), QUICK));
  const body = (async function* () {
    yield Buffer.from('{"x":0.5,"day":"2024-03-01"}\n{"x":"about 7","kind":"a"}\n');
  })();
  const options = { from: 'ndjson', to: 'ndjson', rows: 'lean', warnings: true } as const;
  let text = '';
  for await (const part of answerRows(predictor, body, options)) {
    if (part.kind === 'bytes') text += Buffer.from(part.bytes).toString();
  }
  const lines = text.trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).y_warnings)).toEqual([null, 'day: missing; x: unreadable']);
});

describe('intervals', () => {
  test('hold the prediction, are finite, and widen with the level, for any row', () => {
    const cell = fc.oneof(fc.jsonValue(), fc.double(), fc.constantFrom('a', '2024-05-05', 1e308));
    const row = fc.oneof(fc.record({ x: cell, day: cell, kind: cell, y: cell }), fc.jsonValue());
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const levels = [0.01, 0.5, 0.9, 0.99].map((confidence) => mixed.predict(rows, { confidence }));
        for (const [index] of rows.entries()) {
          let width = 0;
          for (const predictions of [...levels, mixed.predict(rows)].map((of) => of[index])) {
            const { min = Number.NaN, value = Number.NaN, max = Number.NaN } = predictions ?? {};
            expect([min, value, max].every(Number.isFinite)).toBe(true);
            expect(min <= value && value <= max).toBe(true);
          }
          for (const predictions of levels) {
            const { min = 0, max = 0 } = predictions[index] ?? {};
            expect(max - min).toBeGreaterThanOrEqual(width);
            width = max - min;
          }
        }
      }),
    );
  });

  test('are wider where the target is less certain', () => {
    const rows = makeRows(600, (random) => {
      const x = random();
      return { x, y: 10 * x + 8 * x * (random() - 0.5) };
    });
    const predictor = new Predictor(train(readRows(rows, 'y'), QUICK));
    const [sure, unsure] = predictor.predict([{ x: 0.1 }, { x: 0.9 }], { confidence: 0.9 });
    const width = (p = sure) => (p?.max ?? 0) - (p?.min ?? 0);
    expect(width(unsure)).toBeGreaterThan(2 * width(sure));
  });

  test('of their own accord are no wider than a standard deviation, at the highest such level', () => {
    const rows = mixedRows.slice(0, 200);
    const ys = mixedRows.map(({ y }) => Number(y));
    const mean = ys.reduce((sum, y) => sum + y, 0) / ys.length;
    const deviation = Math.sqrt(ys.reduce((sum, y) => sum + (y - mean) ** 2, 0) / ys.length);
    for (const { confidence, min, max, original } of mixed.predict(rows)) {
      expect(max - min).toBeLessThanOrEqual(deviation * (1 + 1e-9));
      if (confidence === 0.99) continue;
      const row = rows.find(({ y }) => y === original);
      const [next] = mixed.predict([row], { confidence: Math.round(100 * confidence + 1) / 100 });
      expect((next?.max ?? 0) - (next?.min ?? 0)).toBeGreaterThan(deviation);
    }
  });

  test('promise no more than the held-out rows can vouch for', () => {
    const few = new Predictor(train(readRows(rentRows(50), 'rent'), QUICK));
    // Fifty scores: the largest is beaten by one new row in fifty-one.
    expect(few.predict([{}], { confidence: 0.99 })).toMatchObject([{ confidence: 0.98 }]);
    expect(few.predict([{}], { confidence: 0.9 })).toMatchObject([{ confidence: 0.9 }]);
    const [own] = few.predict([{ rooms: 2, place: 'north' }]);
    expect(own?.confidence).toBeLessThanOrEqual(0.98);
  });

  test.each([0, 0.009, 1, 0.991, -1, Number.NaN, Number.POSITIVE_INFINITY])(
    'cannot be asked for at level %d',
    (confidence) => {
      expect(() => rent.predict([{}], { confidence })).toThrow(RangeError);
      expect(() => rent.answer([{}], { confidence })).toThrow(RangeError);
    },
  );

  test('are rounded outwards, so that they hold no less', () => {
    // Without a deviation, nothing is rounded.
    const exact = new Predictor({ ...mixedModel, target_deviation: 0 });
    const rows = mixedRows.slice(0, 100);
    const unrounded = exact.predict(rows, { confidence: 0.9 });
    for (const [row, { min, max }] of mixed.predict(rows, { confidence: 0.9 }).entries()) {
      const { min: least = 0, max: most = 0 } = unrounded[row] ?? {};
      expect(min).toBeLessThanOrEqual(least);
      expect(max).toBeGreaterThanOrEqual(most);
      expect([min, max]).toEqual([expect.closeTo(least, 3), expect.closeTo(most, 3)]);
    }
  });

  test('may be asked for at levels between hundredths', () => {
    expect(mixed.predict([{}], { confidence: 0.985 })).toMatchObject([{ confidence: 0.985 }]);
  });
});

describe('the original', () => {
  test('is an anomaly when it lies outside the interval', () => {
    const row = { rooms: 2, place: 'north' };
    const originals = [800, '800', '800,5', 8000, '-1', JSON.parse('1e400')];
    const predictions = rent.predict(originals.map((value) => ({ ...row, rent: value })));
    expect(predictions.map(({ anomaly }) => anomaly)).toEqual([false, false, false, true, true, true]);
    expect(predictions.map(({ original }) => original)).toEqual(originals);
  });

  test('is none when it is absent or no number', () => {
    const originals = [null, 'cheap', '', true, [800], { is: 800 }, 'NaN'];
    const predictions = rent.predict([{}, ...originals.map((value) => ({ rent: value }))]);
    expect(predictions.map(({ anomaly }) => anomaly)).toEqual(predictions.map(() => null));
    expect(predictions.map(({ original }) => original)).toEqual([null, ...originals]);
  });

  test('does not bear on the prediction', () => {
    const [without, withOriginal] = rent.predict([{ rooms: 3 }, { rooms: 3, rent: 99 }]);
    expect(withOriginal?.value).toBe(without?.value);
  });
});
