import { describe, expect, test } from 'vitest';
import { makeRows, type Row, readRows, rentRows } from '../../testkit/prediction/sample-tables.js';
import { encodeModel, Predictor, type TrainOptions, train } from './index.js';

function trainOn(rows: readonly Row[], options?: TrainOptions) {
  return train(readRows(rows, 'y'), options);
}

const steps = (count: number) => makeRows(count, (_random, x) => ({ x, y: x % 10 }));

describe('training', () => {
  test('is deterministic, and another seed gives another model', () => {
    const table = readRows(rentRows(100), 'rent');
    const bytesOf = (options?: TrainOptions) => Buffer.from(encodeModel(train(table, options)));
    const first = bytesOf();
    expect(bytesOf().equals(first)).toBe(true);
    expect(bytesOf({ seed: 1 }).equals(first)).toBe(true);
    expect(bytesOf({ seed: 2 }).equals(first)).toBe(false);
  });

  test('counts coverage on rows that did not calibrate the interval', () => {
    const table = readRows(rentRows(60), 'rent');
    const counted = [1, 2, 3].map((seed) => train(table, { seed }).metrics.interval_coverage);
    // Counted on the calibration rows themselves, coverage would be the same for any rows.
    expect(new Set(counted).size).toBeGreaterThan(1);
  });

  test('reports its progress up to 1, in sensible steps', () => {
    const shares: number[] = [];
    trainOn(steps(200), { onProgress: (share) => shares.push(share) });
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect(shares[0]).toBeLessThan(0.05);
    expect(shares.at(-1)).toBe(1);
    expect(shares.length).toBeLessThanOrEqual(101);
    expect(new Set(shares).size).toBe(shares.length);
  });

  test('is evaluated on every row of a small table, and on held-out rows of a large one', () => {
    expect(trainOn(steps(50)).metrics.held_out_rows).toBe(50);
    expect(trainOn(steps(500)).metrics.held_out_rows).toBe(500);
    expect(trainOn(steps(21_000)).metrics.held_out_rows).toBe(3780);
  });

  test('is not evaluated on rows that it was trained on', () => {
    // A model that was trained on a row of noise predicts that row better than by chance.
    const noise = (count: number) => trainOn(makeRows(count, (random) => ({ x: random(), y: random() }))).metrics;
    for (const { rmse, baseline_rmse } of [noise(1000), noise(21_000)]) {
      expect(rmse / baseline_rmse).toBeGreaterThan(0.99);
    }
  });

  test('calibrates within about ten groups of predicted error, if there are rows enough', () => {
    const groupsOf = (count: number) => trainOn(steps(count)).calibration.scores;
    expect(groupsOf(200)).toHaveLength(1);
    const noisy = makeRows(2000, (random) => {
      const x = random();
      return { x, y: x * random() };
    });
    const groups = trainOn(noisy).calibration.scores.map(({ length }) => length);
    expect(groups.length).toBeGreaterThanOrEqual(8);
    expect(groups.length).toBeLessThanOrEqual(10);
    expect(Math.min(...groups)).toBeGreaterThanOrEqual(100);
  });

  test.each([50, 200, 1000])('learns next to nothing from %d rows of noise', (count) => {
    const noise = (random: () => number): Row => ({ a: random(), b: random(), y: random() });
    // The fewer the rows, the more a single training may learn by chance.
    const trainings = count < 1000 ? 6 : 3;
    const rows = makeRows(trainings * count + 1000, noise);
    let squares = 0;
    for (let begin = 0; begin < trainings * count; begin += count) {
      const predictor = new Predictor(trainOn(rows.slice(begin, begin + count)));
      for (const { value, original } of predictor.predict(rows.slice(-1000))) {
        squares += (value - Number(original)) ** 2 / (1000 * trainings);
      }
    }
    // The best prediction is 1/2: its error is that of a uniform distribution.
    expect(Math.sqrt(squares) * Math.sqrt(12)).toBeLessThan(1.1);
  });

  test('finds clear patterns in a small table', () => {
    const { r2 } = trainOn(makeRows(60, (random, x) => ({ x, y: 5 * x + random() }))).metrics;
    expect(r2).toBeGreaterThan(0.8);
  });

  test('tells at least five rows of a small table from the others, never fewer', () => {
    const rows = makeRows(60, (_random, x) => ({ x, y: x < 58 ? Math.floor(x / 10) : 100 }));
    const values = new Predictor(trainOn(rows)).predict(rows).map(({ value }) => value);
    expect(new Set(values.slice(-5)).size).toBe(1);
    expect(new Set(values).size).toBeGreaterThan(2);
  });

  test.each([
    ['small ones', 0, 'left'],
    ['large ones', 4, 'right'],
    ['neither', 9, 'right'],
  ])('learns that missing values are like %s', (_name, meaning, side) => {
    const rows = makeRows(400, (random, index) => {
      const x = index % 4 === 0 ? null : random();
      return { x, y: (x === null ? meaning : x > 0.5 ? 4 : 0) + random() / 10 };
    });
    const model = trainOn(rows);
    const root = model.value_forest.trees[0]?.splits[0];
    expect(root?.left_bins[0]).toBe(side === 'left' ? 0 : 1);
    const predictor = new Predictor(model);
    const [missing, low, high] = predictor.predict([{}, { x: 0.1 }, { x: 0.9 }]);
    expect(missing?.value).toBeCloseTo(meaning, 0);
    expect(low?.value).toBeCloseTo(0, 0);
    expect(high?.value).toBeCloseTo(4, 0);
  });

  test('uses a column that varies only in being missing', () => {
    const rows = makeRows(200, (random, index) =>
      index % 3 === 0 ? { y: random() } : { x: 'coupon', z: 1, y: 5 + random() },
    );
    const model = trainOn(rows);
    expect(model.columns.map(({ used }) => used)).toEqual([true, true]);
    expect(model.metrics.r2).toBeGreaterThan(0.9);
  });

  test('groups many categories by what they mean', () => {
    const rows = makeRows(2000, (random) => {
      const city = Math.floor(60 * random());
      return { city: `city ${city}`, y: (city % 2) * 10 + random() };
    });
    expect(trainOn(rows).metrics.r2).toBeGreaterThan(0.9);
  });

  test('predicts without error if the target has no noise', () => {
    const rows = makeRows(300, (_random, index) => ({ x: index % 2 ? 'a' : 'b', y: index % 2 }));
    const predictor = new Predictor(trainOn(rows));
    const [a, b] = predictor.predict([{ x: 'a' }, { x: 'b' }]);
    expect(a?.value).toBeCloseTo(1);
    expect(b?.value).toBeCloseTo(0);
    expect(a?.confidence).toBeGreaterThan(0.9);
  });
});

describe('columns', () => {
  test('of numbers may hold up to a twentieth of other things, which count as missing', () => {
    const rows = (odd: number) => makeRows(100, (random, index) => ({ x: index < odd ? 'odd' : index, y: random() }));
    expect(trainOn(rows(5)).columns[0]).toMatchObject({ kind: 'number', missing_share: 0.05, min: 5, max: 99 });
    expect(trainOn(rows(6)).columns[0]?.kind).toBe('category');
  });

  test('that cannot be used remain, with the reason', () => {
    const rows = makeRows(100, (random, index) => ({
      id: `row-${index}`,
      same: 'x',
      zero: 0,
      none: null,
      nested: { a: index },
      good: index,
      y: random(),
    }));
    const model = trainOn(rows);
    expect(model.columns.map(({ name, used, reason }) => [name, used, reason])).toEqual([
      ['id', false, 'nearly every value is different, as in an identifier'],
      ['same', false, 'every value is the same'],
      ['zero', false, 'every value is the same'],
      ['none', false, 'every value is missing'],
      ['nested', false, 'every value is missing'],
      ['good', true, null],
    ]);
  });

  test('of text that hardly ever repeats are unused, with the reason', () => {
    const rows = makeRows(3000, (random, index) => ({
      twice: `order ${index >> 1}`,
      often: index % 3 ? `order ${index}` : `customer ${index % 5}`,
      y: random() + (index % 3 ? 0 : 3),
    }));
    const model = trainOn(rows);
    expect(model.columns[0]).toMatchObject({
      used: false,
      reason: 'no value is in more than 2 rows, too few to learn from',
      categories: null,
      reading: null,
      importance: null,
    });
    expect(model.columns[1]).toMatchObject({ used: true, reason: null });
    expect(model.metrics.r2).toBeGreaterThan(0.9);
  });

  test('of booleans are categories, in JSON as in text', () => {
    const rows = makeRows(100, (random, index) => {
      const open = index % 2 === 0;
      return { open: index % 4 < 2 ? open : String(open).toUpperCase(), y: Number(open) + random() };
    });
    const model = trainOn(rows);
    expect(model.columns[0]).toMatchObject({ kind: 'category', categories: ['true', 'false'] });
  });

  test('list their categories by frequency, at most 254 of them', () => {
    const rows = makeRows(1200, (random) => ({ x: `c${Math.floor(400 * random() ** 2)}`, y: random() }));
    const [column] = trainOn(rows).columns;
    const counts = new Map<unknown, number>();
    for (const { x } of rows) counts.set(x, (counts.get(x) ?? 0) + 1);
    const listed = column?.categories?.map((category) => counts.get(category) ?? 0) ?? [];
    expect(listed).toHaveLength(254);
    expect(listed).toEqual([...counts.values()].sort((a, b) => b - a).slice(0, 254));
  });

  test('may have 10,000 categories: rare ones count as unseen ones do, missing values do not', () => {
    const rows = makeRows(22_000, (random, index) => {
      if (index % 11 === 10) return { x: null, y: 20 + random() };
      return index % 2 ? { x: `often ${index % 100}`, y: 10 + random() } : { x: `rare ${index}`, y: random() };
    });
    const predictor = new Predictor(trainOn(rows));
    const [rare, unseen, often, missing] = predictor.predict([
      { x: 'rare 21998' },
      { x: '?!' },
      { x: 'often 7' },
      { x: null },
    ]);
    expect(unseen?.value).toBeCloseTo(rare?.value ?? 0, 0);
    expect(rare?.value).toBeLessThan(2);
    expect(often?.value).toBeCloseTo(10.5, 0);
    expect(missing?.value).toBeGreaterThan(19);
  });
});

describe('extreme numbers', () => {
  test('in the target: up to the limits of a double, and down to its smallest', () => {
    for (const size of [Number.MAX_VALUE, 1e300, 1, 1e-300, 1e-320]) {
      const rows = makeRows(200, (random, index) => {
        const sign = index % 2 ? 1 : -1;
        return { x: sign, y: sign * size * (0.75 + random() / 4) };
      });
      const model = trainOn(rows);
      expect(model.metrics.r2, String(size)).toBeGreaterThan(0.9);
      const [prediction] = new Predictor(model).predict([{ x: 1 }]);
      expect((prediction?.value ?? 0) / size).toBeGreaterThan(0.7);
      const numbers = [...Object.values(prediction ?? {}), ...Object.values(model.metrics)];
      for (const number of numbers) {
        if (typeof number === 'number') expect(number).toSatisfy(Number.isFinite);
      }
    }
  });

  test('in the target: a large offset does not hide the differences', () => {
    const { r2 } = trainOn(makeRows(300, (_random, x) => ({ x, y: 1e12 + (x % 2) }))).metrics;
    expect(r2).toBeLessThan(0.5);
    const seen = trainOn(makeRows(300, (_random, x) => ({ x: x % 2, y: 1e12 + (x % 2) }))).metrics;
    expect(seen.r2).toBeGreaterThan(0.99);
  });

  test('in columns: infinite and huge values are only large ones', () => {
    const rows = makeRows(400, (random, index) => {
      const x = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308, -1e308][index % 4];
      return { x, y: Number(x !== undefined && x > 0) + random() / 10 };
    });
    const model = trainOn(rows);
    expect(model.columns[0]).toMatchObject({ kind: 'number', min: -1e308, max: 1e308 });
    expect(model.metrics.r2).toBeGreaterThan(0.9);
  });
});
