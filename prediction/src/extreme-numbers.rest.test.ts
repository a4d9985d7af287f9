import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QUICK, type Row, readRows, rentRows } from '../../testkit/prediction/sample-tables.js';
import {
  answerRows,
  createPredictor,
  decodeModel,
  encodeModel,
  type ForecastGoal,
  type ForecastPrediction,
  type RegressionMetrics,
  readRowsTable,
  SeriesServer,
  type Table,
  TableError,
  type Task,
  train,
  verifyModel,
} from './index.js';

const ROWS = 60;

/** The limits of a double, and of its square and of sums and differences. */
const LIMITS = [Number.MAX_VALUE, 1e308, 1e200, 1e155, 1e-155, 1e-200, 2 ** -1022, 1e-320, 5e-324];
const limit = fc.constantFrom(0, 1, ...LIMITS.flatMap((size) => [size, -size]));
const number = fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), limit);

/** The double so many doubles behind another. */
function neighbour(of: number, steps: number): number {
  const bits = new BigInt64Array(Float64Array.of(of).buffer);
  bits[0] = (bits[0] ?? 0n) + BigInt(steps);
  const found = new Float64Array(bits.buffer)[0] ?? 0;
  return Number.isFinite(found) ? found : of;
}

/** Kinds of columns: of any numbers, of few, of one and another, of one size, of neighbours. */
const kind = fc.oneof(
  fc.constantFrom(number, limit),
  fc.array(number, { minLength: 2, maxLength: 4 }).map((few) => fc.constantFrom(...few)),
  fc.tuple(number, number).map(([one, other]) => fc.nat(ROWS).map((at) => (at === 0 ? other : one))),
  limit.map((size) => fc.double({ min: -1, max: 1, noNaN: true }).map((share) => share * size)),
  number.map((of) => fc.integer({ min: -9, max: 9 }).map((steps) => neighbour(of, steps))),
);
const sized = { minLength: ROWS, maxLength: ROWS };
const target = kind.chain((value) => fc.array(value, sized));
const input = kind.chain((value) => fc.array(fc.option(value, { freq: 20 }), sized));
const task = fc.constantFrom<Task | undefined>(undefined, 'classification');

function readUnlessRefused(rows: readonly Row[], as: Task | undefined): Table | undefined {
  try {
    return readRowsTable(rows, 'y', { task: as });
  } catch (error) {
    if (error instanceof TableError) return undefined;
    throw error;
  }
}

const OPTIONS = { from: 'json', to: 'json', confidence: 0.99 } as const;

async function answer(predictor: ReturnType<typeof createPredictor>, rows: readonly Row[]) {
  async function* body() {
    yield Buffer.from(JSON.stringify(rows));
  }
  const parts: Uint8Array[] = [];
  for await (const part of answerRows(predictor, body(), OPTIONS)) {
    if (part.kind === 'bytes') parts.push(part.bytes);
  }
  return JSON.parse(Buffer.concat(parts).toString());
}

function computeInUnit(unit: number) {
  return ({ predicted, actual, deviation, rows }: RegressionMetrics['predicted_actual'][number]) => ({
    predicted: predicted / unit,
    actual: actual / unit,
    deviation: deviation / unit,
    rows,
  });
}

describe('numbers of any size', () => {
  test('in a table are refused, or give a model that can be read and answers with finite numbers', async () => {
    const runs = 40;
    let trained = 0;
    const property = fc.asyncProperty(
      target,
      fc.array(input, { minLength: 1, maxLength: 2 }),
      task,
      fc.array(number, { maxLength: 5 }),
      async (targets, inputs, as, asked) => {
        const rows = targets.map((y, row) => ({ y, a: inputs[0]?.[row], b: inputs[1]?.[row] }));
        const table = readUnlessRefused(rows, as);
        if (table === undefined) return;
        trained += 1;
        const artifact = encodeModel(train(table, QUICK));
        verifyModel(artifact);
        const predictor = createPredictor(decodeModel(artifact));
        const others = asked.map((a) => ({ a, b: -a }));
        for (const row of await answer(predictor, [...rows, ...others, {}])) {
          const { y, y_min: min, y_max: max, y_confidence } = row;
          expect(y_confidence).toBeTypeOf('number');
          if (table.task === 'classification') continue;
          expect([min, y, max].every(Number.isFinite)).toBe(true);
          expect(min <= y && y <= max).toBe(true);
        }
      },
    );
    await fc.assert(property, { numRuns: runs });
    expect(trained).toBeGreaterThan(runs / 4);
  });

  test('in the target are measured in their own size', () => {
    const ofSize = (size: number) => {
      const rows = rentRows(200).map(({ rent, ...row }) => ({ ...row, rent: Number(rent) * size }));
      return train(readRows(rows, 'rent'), QUICK).metrics.predicted_actual;
    };
    // Not all of these are whole numbers, which are rounded to. Powers of two lose no digit.
    const expected = ofSize(2 ** -5).map(computeInUnit(2 ** -5));
    for (const size of [2 ** 1000, 2 ** 700, 2 ** -700]) {
      expect(ofSize(size).map(computeInUnit(size))).toEqual(expected);
    }
  });
});

/** Three series whose values are drawn by the row and the series. */
function seriesOf(value: (at: number) => number, moment = (step: number, _series: number) => step) {
  return Array.from({ length: 3 * ROWS }, (_, at) => {
    const [step, series] = [at % ROWS, Math.floor(at / ROWS)];
    return { t: moment(step, series), name: `series ${series}`, y: value(at), x: -value(at) };
  });
}

function trainForecast(rows: readonly Row[], known: readonly string[] = []) {
  const task: ForecastGoal = { orderBy: 't', groupBy: ['name'], horizon: 3, known };
  const table = readRowsTable(rows, 'y', { task });
  if (table.task !== 'forecast') throw new Error('The goal is a forecast');
  return train(table, QUICK);
}

function trainSeries(rows: readonly Row[], known: readonly string[] = []) {
  const artifact = encodeModel(trainForecast(rows, known));
  verifyModel(artifact);
  const predictor = createPredictor(decodeModel(artifact));
  if (!(predictor instanceof SeriesServer)) throw new Error('The model forecasts');
  return predictor;
}

function expectSound(predictions: readonly ForecastPrediction[]) {
  for (const { value, min, max } of predictions) {
    expect([min, value, max].every(Number.isFinite)).toBe(true);
    expect(min <= value && value <= max).toBe(true);
  }
}

describe('series of numbers of any size', () => {
  test('give a model that can be read, and forecasts with finite numbers', () => {
    const values = kind.chain((value) => fc.array(value, { minLength: 3 * ROWS, maxLength: 3 * ROWS }));
    const property = fc.property(values, fc.array(number, { maxLength: 4 }), (drawn, later) => {
      if (new Set(drawn).size === 1) return;
      const predictor = trainSeries(
        seriesOf((at) => drawn[at] ?? 0),
        ['x'],
      );
      const history = ['series 0', 'new'].flatMap((name) =>
        later.map((y, index) => ({ t: ROWS + index, name, y, x: y })),
      );
      expectSound(predictor.predict([]));
      expectSound(predictor.predict([], { backtest: 3, confidence: 0.99 }));
      expectSound(predictor.predict(history, { confidence: 0.5 }));
    });
    fc.assert(property, { numRuns: 15 });
  });

  test('are forecast and measured in their own size', () => {
    const ofSize = (size: number) => {
      const rows = seriesOf((at) => (((at * 7919) % 13) - 6 + (at % 7)) * size);
      const { errors, interval_coverage } = trainForecast(rows).metrics;
      const forecasts = trainSeries(rows).predict([], { confidence: 0.8 });
      // A forecast is rounded by its own size.
      return {
        smape: errors.smape,
        mase: errors.mase,
        mae: errors.mae / size,
        interval_coverage,
        values: forecasts.map(({ value, min, max }) => [value, min, max].map((bound) => (bound / size).toFixed(1))),
      };
    };
    // Whole numbers would have whole bounds.
    const expected = ofSize(2 ** -4);
    for (const size of [2 ** 1019, 2 ** 700, 2 ** -700]) expect(ofSize(size)).toEqual(expected);
  });

  test('may begin further apart than 31 bits say', () => {
    const later = 6_000_000_000;
    const rows = seriesOf(
      (at) => at % 7,
      (step, series) => step + (series === 2 ? later : 0),
    );
    const [, , third] = ['series 0', 'series 1', 'series 2'].map((name) => trainSeries(rows).predict([{ name }]));
    expect(third?.map(({ row }) => Object(row).t)).toEqual([0, 1, 2].map((step) => later + ROWS + step));
  });

  test.each<[string, (step: number, series: number) => number, string]>([
    ['so far apart that their distance is no double', (step) => (step - 30) * 5e306, 'too far apart'],
    ['so close that no double has their distance', (step) => step * 5e-324, 'too close'],
    ['of more steps than doubles count', (step, series) => step + series * 1e17, 'not a whole number'],
  ])('with moments %s are refused, with the column', (_, moment, message) => {
    const read = () => trainSeries(seriesOf((at) => at % 7, moment));
    expect(read).toThrow(message);
    expect(read).toThrow('"t"');
  });
});

describe('a model whose numbers overflowed', () => {
  const model = train(readRows(rentRows(100), 'rent'), QUICK);

  test('does not pass for one that can be read', () => {
    const overflowed = { ...model, target_deviation: Number.POSITIVE_INFINITY };
    expect(() => verifyModel(encodeModel(overflowed))).toThrow('Expected number but received null');
  });

  test('does not pass for one that answers', () => {
    const table = readRowsTable(rentRows(100), 'place', { task: 'classification' });
    const classifier = train(table, QUICK);
    if (classifier.task !== 'classification') throw new Error('The target holds classes.');
    const class_forests = classifier.class_forests.map(({ trees }) => ({
      base: Number.MAX_VALUE,
      trees: trees.map((tree) => ({ ...tree, leaves: tree.leaves.map(() => Number.MAX_VALUE) })),
    }));
    const encoded = encodeModel({ ...classifier, class_forests });
    expect(() => verifyModel(encoded)).toThrow('not with finite numbers');
  });
});
