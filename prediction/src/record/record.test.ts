import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeStepWidths, nameStepGroups } from '../calibration/trained-calibration.js';
import {
  type AlarmState,
  bet,
  CoverageCounter,
  correctTruth,
  findDrift,
  findIntervalNeeds,
  moveRecalibration,
  moveShifts,
  recalibrate,
  SHIFT_LEVELS,
  shiftAt,
  startAlarm,
  startRecalibration,
  startRecord,
  startShifts,
} from '../recording.js';
import { seededRandom } from '../trees/random.js';

/** Returns the state after truths, each kept with a chance that depends on its number. */
function watch(
  count: number,
  seed: number,
  chance: (at: number) => number,
  confidence: (at: number) => number = () => 0.9,
): AlarmState {
  const random = seededRandom(seed);
  let state = startAlarm();
  for (let at = 0; at < count; at++) {
    state = bet(state, [{ confidence: confidence(at), isKept: random() < chance(at) }]);
  }
  return state;
}

function median(values: number[]): number {
  return values.sort((one, other) => one - other)[values.length >> 1] ?? 0;
}

describe('the alarm', () => {
  test('bets at fair odds: on average a truth that comes as promised leaves the evidence as it was', () => {
    const outcome = fc.record({ confidence: fc.double({ min: 0.01, max: 0.999, noNaN: true }), isKept: fc.boolean() });
    fc.assert(
      fc.property(fc.array(outcome, { maxLength: 60 }), outcome, (past, { confidence }) => {
        const state = past.reduce((before, each) => bet(before, [each]), startAlarm());
        const after = (isKept: boolean) => bet(state, [{ confidence, isKept }]).evidence;
        const mean = confidence * after(true) + (1 - confidence) * after(false);
        expect(mean / state.evidence).toBeCloseTo(1, 9);
        expect(after(true)).toBeLessThan(after(false));
      }),
    );
  });

  test('is silent on streams that keep what they promise, or more, at confidences of every height', () => {
    const confidence = (at: number) => [0.5, 0.9, 0.99, 1][at % 4] ?? 0;
    for (let seed = 0; seed < 15; seed++) {
      expect(watch(10_000, seed, confidence, confidence).raised_at).toBeNull();
      expect(watch(2000, seed, () => 0.95).raised_at).toBeNull();
    }
  });

  test('hears of a change late in a stream as it does of one at its start', () => {
    const delay = (start: number) =>
      median(
        Array.from({ length: 25 }, (_, seed) => {
          const chance = (at: number) => (at < start ? 0.9 : 0.8);
          return (watch(start + 2000, seed, chance).raised_at ?? Number.POSITIVE_INFINITY) - start;
        }),
      );
    expect(delay(0)).toBeLessThan(250);
    expect(delay(5000)).toBeLessThan(450);
  });

  test('goes on from its JSON, stays raised, and stays finite', () => {
    let state = startAlarm();
    let resumed = startAlarm();
    for (let at = 0; at < 5000; at++) {
      state = bet(state, [{ confidence: 1, isKept: false }]);
      resumed = bet(JSON.parse(JSON.stringify(resumed)), [{ confidence: 1, isKept: false }]);
    }
    expect(resumed).toEqual(state);
    expect(state.evidence).toBeLessThan(Number.MAX_VALUE);
    expect(state.raised_at).toBe(5);
    for (let at = 0; at < 10_000; at++) state = bet(state, [{ confidence: 0.9, isKept: true }]);
    expect(state.raised_at).toBe(5);
    expect(() => bet(state, [{ confidence: Number.NaN, isKept: true }])).toThrow(RangeError);
  });
});

test('an alarm of two streams takes what both say', () => {
  const random = seededRandom(1);
  let state = startAlarm(2);
  for (let at = 0; at < 2000; at++) {
    const isKept = random() < 0.9;
    state = bet(state, [
      { confidence: 0.9, isKept },
      { confidence: 0.99, isKept },
    ]);
  }
  expect(state.raised_at).toBeLessThan(400);
});

/** A deviate of the standard normal distribution (Box & Muller 1958). */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The log of the trained width of `SHIFT_LEVELS` where errors are normal with a deviation of 1. */
const NORMAL_WIDTHS = [0.1257, 0.3853, 0.6745, 0.8416, 1.0364, 1.2816, 1.4395, 1.6449, 1.96, 2.5758].map(Math.log);

/** Promises at a level, and hears the truth of each before the next; returns whether each was kept, and the widths. */
function adaptTo(count: number, level: number, deviation: (at: number) => number) {
  const random = seededRandom(7);
  let shifts = startShifts();
  const trained = Math.exp(NORMAL_WIDTHS[SHIFT_LEVELS.indexOf(level)] ?? 0);
  const kept: number[] = [];
  const widths: number[] = [];
  for (let at = 0; at < count; at++) {
    const shift = shiftAt(shifts, level);
    const reach = trained * Math.exp(shift);
    const truth = 100 + deviation(at) * normal(random);
    kept.push(Number(Math.abs(truth - 100) <= reach));
    widths.push(Math.exp(shift));
    const promise = { value: 100, min: 100 - reach, max: 100 + reach, confidence: level, shift };
    shifts = moveShifts(shifts, findIntervalNeeds(promise, NORMAL_WIDTHS, truth));
  }
  return { kept, widths, shifts };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

describe('adapting', () => {
  test.each([0.5, 0.8, 0.9, 0.95, 0.99])(
    'keeps %d in the long run where errors jump, drift and follow a season, at nearly trained widths where they do not',
    (level) => {
      const changes = [
        (at: number) => (at < 5000 ? 1 : 3),
        (at: number) => 1 + at / 5000,
        (at: number) => 2 + Math.sin(at / 150),
      ];
      for (const change of changes) {
        expect(Math.abs(mean(adaptTo(10_000, level, change).kept) - level)).toBeLessThan(0.01);
      }
      const unchanged = adaptTo(10_000, level, () => 1);
      expect(Math.abs(mean(unchanged.kept) - level)).toBeLessThan(0.01);
      expect(mean(unchanged.widths)).toBeLessThan(1.05);
    },
  );

  test('learns of each level from promises at one', () => {
    const { shifts } = adaptTo(4000, 0.9, () => 2);
    for (const level of [0.5, 0.73, 0.8, 0.95]) {
      expect(Math.exp(shiftAt(shifts, level))).toBeGreaterThan(1.6);
      expect(Math.exp(shiftAt(shifts, level))).toBeLessThan(2.5);
    }
  });

  test('lets whole bounds around a mean stay as they are where the next number comes true', () => {
    const promise = { value: 0.4, min: 0, max: 1, confidence: 0.9, shift: 0 };
    const needsOf = (truth: number, isWhole: boolean) =>
      findIntervalNeeds({ ...promise, isWhole }, NORMAL_WIDTHS, truth);
    for (const truth of [0, 1]) {
      expect(new Set(needsOf(truth, true))).toEqual(new Set([Number.NEGATIVE_INFINITY]));
    }
    expect(needsOf(2, true)).toEqual(needsOf(2, false));
    expect(Math.max(...needsOf(2, true))).toBeGreaterThan(0);
  });

  test('makes finite widths of truths that no width would reach', () => {
    let shifts = startShifts();
    const promise = { value: 1, min: 1, max: 1, confidence: 0.9, shift: 0 };
    for (const truth of [1e300, -1e300, 1]) {
      for (let at = 0; at < 1000; at++) {
        shifts = moveShifts(shifts, findIntervalNeeds(promise, NORMAL_WIDTHS, truth));
      }
      expect(shifts.values.every(Number.isFinite)).toBe(true);
    }
  });

  test('moves the probabilities of classes back to their shares, and to how certain they are', () => {
    const random = seededRandom(3);
    let state = startRecalibration(3);
    const certain: number[] = [];
    const right: number[] = [];
    const ofFirst: number[] = [];
    const isFirst: number[] = [];
    for (let at = 0; at < 20_000; at++) {
      const scores = [normal(random), normal(random), normal(random)].map((score) => 2 * score);
      const powers = scores.map(Math.exp);
      const trained = powers.map((power) => power / powers.reduce((sum, each) => sum + each, 0));
      // The truth follows the scores half as much as the training had it, and favours the first class.
      const real = scores.map((score, index) => Math.exp(score / 2 + (index === 0 ? 1 : 0)));
      const [first = 0, second = 0, third = 0] = real;
      const drawn = random() * (first + second + third);
      const label = drawn < first ? 0 : drawn < first + second ? 1 : 2;
      const stated = recalibrate(state, trained);
      const best = Math.max(...stated);
      if (at >= 2000) {
        certain.push(best);
        right.push(Number(stated.indexOf(best) === label));
        ofFirst.push(stated[0] ?? 0);
        isFirst.push(Number(label === 0));
      }
      state = moveRecalibration(state, trained, label);
    }
    expect(Math.abs(mean(certain) - mean(right))).toBeLessThan(0.01);
    expect(Math.abs(mean(ofFirst) - mean(isFirst))).toBeLessThan(0.01);
    expect(state.scale).toBeLessThan(0.65);
  });
});

test('coverage has its band, what was promised, and the promises whose truth is missing', () => {
  const counter = new CoverageCounter<string>();
  counter.addPromises('march', 10);
  counter.addPromises('april', 3);
  for (let at = 0; at < 8; at++) counter.addTruth('march', 0.9, at < 6, 2);
  expect([...counter.entries()]).toEqual([
    [
      'march',
      {
        promises: 10,
        truths: 8,
        kept: 6,
        coverage: 0.75,
        coverage_band: [expect.closeTo(0.409, 3), expect.closeTo(0.929, 3)],
        promised: expect.closeTo(0.9, 9),
        error: 2,
      },
    ],
    ['april', { promises: 3, truths: 0, kept: 0, coverage: null, coverage_band: null, promised: null, error: null }],
  ]);
});

test('corrections leave totals within their bounds that earlier releases did not correct', () => {
  const promised = {
    kind: 'interval',
    values: Float64Array.of(2),
    lower: Float64Array.of(1),
    upper: Float64Array.of(3),
  } as const;
  const promise = { batch: { rows: 1, bins: [], level: () => 0.9, promised }, row: 0 };
  const started = { ...startRecord({ classes: [], calibration: null, calibrated_rows: 0 }), truths: 1 };
  expect(correctTruth({ ...started, kept: 0, error: 5 }, promise, 2, 9)).toMatchObject({ kept: 0, error: 12 });
  expect(correctTruth({ ...started, kept: 1, error: 5 }, promise, 9, 2)).toMatchObject({ kept: 1, error: 0 });
});

test('a horizon of more than 32 steps is parted into 32 groups, each of which calibrates its own steps', () => {
  expect(nameStepGroups(3)).toEqual(['1', '2', '3']);
  const names = nameStepGroups(168);
  expect([names.length, names[0], names.at(-1)]).toEqual([32, '1 to 6', '164 to 168']);
  // The scores of step s are s times those of the first.
  const scores = Array.from({ length: 64 }, (_, at) =>
    Array.from({ length: 99 }, (_, score) => (at + 1) * (score + 1)),
  );
  const widths = describeStepWidths(scores).map((levels) => levels[7] ?? 0);
  expect(widths).toHaveLength(32);
  expect(widths).toEqual([...widths].sort((one, other) => one - other));
  expect(Math.exp((widths[31] ?? 0) - (widths[0] ?? 0))).toBeGreaterThan(30);
});

describe('drift', () => {
  /** Rows of three columns, half of them of now, in which two columns move by a number of bins. */
  function compare(first: number, second: number, rows = 2000) {
    const random = seededRandom(5);
    const isNow = Uint8Array.from({ length: rows }, (_, row) => row % 2);
    const bins = new Uint8Array(3 * rows);
    for (let row = 0; row < rows; row++) {
      const time = isNow[row] ?? 0;
      bins[row] = Math.floor(10 * random()) + first * time;
      bins[rows + row] = Math.floor(10 * random()) + second * time;
      bins[2 * rows + row] = Math.floor(10 * random());
    }
    const features = {
      rowCount: rows,
      bins,
      binCounts: [20, 20, 20],
      isCategory: [false, false, false],
      columnOf: [4, 7, 9],
    };
    return findDrift(features, isNow);
  }

  test('names the columns that moved, the one that explains most first', () => {
    const drift = compare(6, 2);
    expect(drift?.separation).toBeGreaterThan(0.5);
    expect(drift?.columns.map(({ column }) => column).slice(0, 2)).toEqual([4, 7]);
    expect(drift?.columns[0]?.share).toBeGreaterThan(0.5);
    // Six in ten rows have a first value that no earlier row has.
    expect(drift?.moved).toBeGreaterThan(0.5);
    expect(drift?.moved).toBeLessThan(0.75);
  });

  test('names none where nothing moved, and does not judge a few rows', () => {
    expect(compare(0, 0)).toMatchObject({ columns: [], moved: 0 });
    expect(compare(6, 2, 150)).toBeNull();
  });
});
