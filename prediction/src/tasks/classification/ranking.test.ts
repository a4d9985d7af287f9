import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rankClasses } from './ranking.js';

/** Rows with the probability of the second of two classes in hundredths, so that many are equal, and their class. */
const rows = fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.nat({ max: 1 })), { minLength: 1, maxLength: 400 });

function rank(some: readonly (readonly [number, number])[]) {
  const probabilities = some.flatMap(([hundredths]) => [1 - hundredths / 100, hundredths / 100]);
  const labels = Uint16Array.from(some, ([, label]) => label);
  return rankClasses(Float64Array.from(probabilities), labels, 2);
}

test('the area is the share of pairs in the right order, and that of either of two classes', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const own = some.filter(([, label]) => label === 1);
      const others = some.filter(([, label]) => label === 0);
      const wins = own.flatMap(([one]) => others.map(([other]) => (one > other ? 1 : one === other ? 0.5 : 0)));
      const { auc, by_class } = rank(some);
      if (wins.length === 0) {
        expect([auc, ...by_class]).toEqual([null, ...Array(2).fill({ auc: null, thresholds: null })]);
        return;
      }
      const share = wins.reduce<number>((sum, win) => sum + win, 0) / wins.length;
      for (const area of [auc, ...by_class.map((one) => one.auc)]) expect(area).toBeCloseTo(share, 9);
    }),
  );
});

test('thresholds descend to one that calls every row, and count what each calls', () => {
  fc.assert(
    fc.property(rows, (some) => {
      const { thresholds } = rank(some).by_class[1] ?? {};
      if (!thresholds) return;
      const { probability, caught, false_alarms } = thresholds;
      expect(probability.length).toBeLessThanOrEqual(101);
      expect(probability.at(-1)).toBe(0);
      const halves = some.map(([hundredths]) => hundredths >= 50);
      expect(probability.includes(0.5)).toBe(halves.includes(true) && halves.includes(false));
      expect(probability).toEqual([...new Set(probability)].sort((a, b) => b - a));
      for (const [index, threshold] of probability.entries()) {
        const called = some.filter(([hundredths]) => hundredths / 100 >= threshold);
        expect(caught[index]).toBe(called.filter(([, label]) => label === 1).length);
        expect(false_alarms[index]).toBe(called.filter(([, label]) => label === 0).length);
      }
    }),
  );
});

test('a table of many rows has small steps among those of a rare class, and among the others', () => {
  const many = Array.from({ length: 50_000 }, (_, row): [number, number] => {
    return [100 * Math.abs(Math.sin(row)) ** (row % 100 === 0 ? 0.3 : 3), row % 100 === 0 ? 1 : 0];
  });
  const { caught = [], false_alarms = [] } = rank(many).by_class[1]?.thresholds ?? {};
  expect(caught.length).toBeGreaterThan(50);
  for (const [index, rows] of caught.entries()) {
    expect(rows - (caught[index - 1] ?? 0)).toBeLessThan(0.0215 * 500);
    expect((false_alarms[index] ?? 0) - (false_alarms[index - 1] ?? 0)).toBeLessThan(0.0215 * 49_500);
  }
});

test('of more than ten classes, only the areas are reported', () => {
  const labels = Uint16Array.from({ length: 220 }, (_, row) => row % 11);
  const probabilities = Float64Array.from({ length: 220 * 11 }, (_, at) => {
    return labels[Math.floor(at / 11)] === at % 11 ? 0.5 : 0.05;
  });
  const { auc, by_class } = rankClasses(probabilities, labels, 11);
  expect(auc).toBe(1);
  expect(by_class).toEqual(Array(11).fill({ auc: 1, thresholds: null }));
});
