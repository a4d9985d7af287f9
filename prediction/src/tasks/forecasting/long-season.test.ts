import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../trees/random.js';
import { Competition, nameBases, planCompetition } from './competition.js';
import { findLongSeason } from './long-season.js';

const DAY = 24;
const YEAR = 8766;
const MINUTES = 1440;
const WEEK = 7 * MINUTES;

const random = seededRandom(1);
const ofYear = (at: number) => 30 * Math.cos((2 * Math.PI * at) / YEAR);
const hours = Float64Array.from(
  { length: 2.5 * YEAR },
  (_, at) => 100 + ofYear(at) + 20 * Math.sin((2 * Math.PI * at) / DAY) + 10 * random(),
);
const isWeekend = (at: number) => Math.floor(at / MINUTES) % 7 >= 5;
const minutes = Float64Array.from(
  { length: 2.8 * WEEK },
  (_, at) => (isWeekend(at) ? 10 : 100 + 20 * Math.sin((2 * Math.PI * at) / MINUTES)) + random(),
);

describe('a season that is longer than the window', () => {
  test('is found in a year of hours, beside the day', () => {
    const season = findLongSeason(hours, YEAR, DAY);
    expect(season?.strength).toBeGreaterThan(0.9);
    for (const at of [0, 3000, YEAR, 2.7 * YEAR]) {
      expect(Math.abs((season?.at(Math.round(at)) ?? 0) - ofYear(at))).toBeLessThan(6);
    }
  });

  test('is not found in noise, nor in one that drifts', () => {
    const noise = seededRandom(2);
    let level = 0;
    const walk = Float64Array.from({ length: 3 * YEAR }, () => (level += noise() - 0.5));
    expect(findLongSeason(walk, YEAR, DAY)).toBeUndefined();
    expect(
      findLongSeason(
        walk.map(() => noise()),
        YEAR,
        DAY,
      ),
    ).toBeUndefined();
  });

  test('is forecast, where the last day says something else', () => {
    const { plan } = planCompetition([MINUTES, WEEK], 60, minutes.length);
    // The third Saturday begins.
    const end = 2 * WEEK + 5 * MINUTES;
    const forecast = new Competition(plan).forecast({ start: 0, values: minutes, past: [], known: [] }, end, 60);
    const at = (values: Float64Array | undefined) => forecast.unit * (values?.[30] ?? Number.NaN);
    expect(at(forecast.naives[1])).toBeGreaterThan(70);
    expect(at(forecast.naives[2])).toBeLessThan(20);
    expect(at(forecast.bases[nameBases(plan).indexOf(`level ${WEEK}`)])).toBeLessThan(50);
  });

  test('is looked for where a series has two, in a bounded number of values', () => {
    expect(planCompetition([DAY, 7 * DAY, YEAR], 48, 1000).plan.long).toBeUndefined();
    const { plan, needed } = planCompetition([DAY, 7 * DAY, YEAR], 48, 1_000_000);
    expect(plan.seasons).toEqual([DAY, 7 * DAY]);
    expect(plan.long).toEqual({ seasons: [YEAR], window: 3 * YEAR });
    expect(needed).toBeLessThan(30_000);
    expect(planCompetition([DAY, 7 * DAY, YEAR], 48, 1_000_000, 500).needed).toBe(500);
    expect(planCompetition([MINUTES, WEEK, 60 * YEAR], 60, 1_000_000).needed).toBeLessThan(60_000);
  });
});
