import { describe, expect, test } from 'vitest';
import { readRows } from '../../../testkit/prediction/sample-tables.js';
import { Predictor, train } from '../index.js';
import { seededRandom } from '../trees/random.js';

const TABLES = 10;
const TRAINED = 300;
const TESTED = 1000;
const FIFTHS = 5;

interface Made {
  readonly row: Record<string, number>;
  readonly isWithin: (min: number, max: number) => number;
}

/** Makes a row whose target has a known normal distribution. @param spreadOf its standard deviation, by one of the columns */
function makeRow(random: () => number, spreadOf: (x: number) => number): Made {
  const [a, b, c, d, e] = [random(), random(), random(), random(), random()];
  const mean = 10 * Math.sin(3 * a * b) + 10 * c + 5 * d;
  const spread = spreadOf(e);
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const below = (bound: number) => normalShare((bound - mean) / spread);
  return { row: { a, b, c, d, e, y: mean + spread * normal }, isWithin: (min, max) => below(max) - below(min) };
}

/** The share of a normal distribution below z (Abramowitz & Stegun 1964, 26.2.17: to within 1e-7). */
function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const above = (poly * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
  return z > 0 ? 1 - above : above;
}

/** Returns the coverage of intervals for 0.9 in each fifth of rows, from the narrowest up, and all; a mean over tables. */
function coverageByWidth(spreadOf: (x: number) => number): number[] {
  const sums = new Array<number>(FIFTHS).fill(0);
  for (let seed = 1; seed <= TABLES; seed++) {
    const random = seededRandom(seed);
    const made = Array.from({ length: TRAINED + TESTED }, () => makeRow(random, spreadOf));
    const rows = made.map(({ row }) => row);
    const predictor = new Predictor(train(readRows(rows.slice(0, TRAINED), 'y')));
    const tested = made.slice(TRAINED);
    const byWidth = predictor
      .predict(rows.slice(TRAINED), { confidence: 0.9 })
      .map(({ min, max }, index) => ({ width: max - min, held: tested[index]?.isWithin(min, max) ?? 0 }))
      .sort((one, other) => one.width - other.width);
    for (const [index, { held }] of byWidth.entries()) {
      const fifth = Math.floor((FIFTHS * index) / TESTED);
      sums[fifth] = (sums[fifth] ?? 0) + (FIFTHS * held) / TESTED / TABLES;
    }
  }
  return sums;
}

describe('intervals of tables of 300 rows', () => {
  test.each([
    ['the same everywhere', () => 2],
    ['five times as large at one end of a column as at the other', (x: number) => 0.8 + 3.2 * x],
  ])('hold in each fifth of their widths, where the noise is %s', (_name, spreadOf) => {
    const shares = coverageByWidth(spreadOf);
    for (const share of shares) expect(Math.abs(share - 0.9)).toBeLessThan(0.035);
  });
});
