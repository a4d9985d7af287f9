import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SeriesSet } from '../../prediction/src/tasks/forecasting/series.js';

/** Series, and the values that came after them. */
export interface HeldOut {
  readonly name: string;
  readonly horizon: number;
  readonly set: SeriesSet;
  /** By series. */
  readonly coming: readonly Float64Array[];
}

/** A line of a file of series: `x` is the history, `xx` what came; `start` is a year and a place in it. */
interface SeriesLine {
  readonly id: string;
  readonly period: string;
  readonly frequency: number;
  readonly start: readonly number[];
  readonly h: number;
  readonly x: readonly number[];
  readonly xx: readonly number[];
}

/**
 * Reads `NAME.jsonl` of a folder, by period.
 *
 * @throws {Error} if it cannot be read.
 */
export async function readSeries(folder: string, name: string): Promise<HeldOut[]> {
  const text = await readFile(join(folder, `${name}.jsonl`), 'utf8');
  const lines = text.trim().split('\n');
  const all = lines.map((line): SeriesLine => JSON.parse(line));
  return [...new Set(all.map(({ period }) => period))].map((ofSet): HeldOut => {
    const ofPeriod = all.filter(({ period }) => period === ofSet);
    const season = ofPeriod[0]?.frequency ?? 1;
    return {
      name: `${name}, ${ofSet.toLowerCase()}`,
      horizon: ofPeriod[0]?.h ?? 1,
      set: {
        season,
        calendar: (position) => (season > 1 ? [position % season] : []),
        series: ofPeriod.map(({ start: [year = 0, place = 1], x }) => ({
          start: Math.round(year * season + place - 1),
          values: Float64Array.from(x),
          past: [],
          known: [],
        })),
      },
      coming: ofPeriod.map(({ xx }) => Float64Array.from(xx)),
    };
  });
}
