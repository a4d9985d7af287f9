import { readFile } from 'node:fs/promises';
import type { ForecastSeries } from '../../prediction/src/tasks/forecasting/series.js';
import type { Finding, Scenario } from '../scenarios.js';
import { findCoverage, judge } from './judge.js';

const FILE = new URL('../../../datasets/txhousing.csv', import.meta.url);
const HORIZON = 12;
const MONTHS = 12;

async function run(): Promise<Finding[]> {
  const lines = (await readFile(FILE, 'utf8')).trim().split('\n').slice(1);
  const rows = lines.map((line) => line.split(','));
  const cities = [...new Set(rows.map(([city]) => city))];
  const sales = cities.map((name) => {
    const ofCity = rows.filter(([city]) => city === name);
    // A month that is not told is a gap.
    return Float64Array.from(ofCity, ([, , , cell = '']) => Number.parseFloat(cell));
  });
  const series = sales.map(
    (values): ForecastSeries => ({
      start: 0,
      values: values.subarray(0, -HORIZON),
      past: [],
      known: [],
    }),
  );
  const judgement = judge({
    name: 'housing',
    horizon: HORIZON,
    set: { season: MONTHS, calendar: (position) => [position % MONTHS], series },
    coming: sales.map((values) => values.subarray(-HORIZON)),
  });
  const { smape, naiveSmape } = judgement;
  return [
    {
      asked: 'sales of 46 cities in the last year: sMAPE below that of the year before again',
      measured: `${smape.toFixed(2)} and ${naiveSmape.toFixed(2)}`,
      passed: smape < naiveSmape,
    },
    // Of one year, which all cities share.
    ...findCoverage('sales', judgement, 0.1, 0.2),
  ];
}

/** A small table of the tree. */
export const housing: Scenario = { name: 'housing', run, runShort: run };
