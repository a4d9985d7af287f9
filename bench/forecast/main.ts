import type { ForecastSeries } from 'roster-prediction/internals';
import { Forecaster, fitForecaster, Progress, seededRandom } from 'roster-prediction/internals';
import { finish } from 'roster-prediction/predicting';
import { ask } from '../../testkit/http/client.js';
import { timeWork } from '../load.js';
import { type Given, runScenarios, type Scenario } from '../scenarios.js';
import { onService, train } from '../services.js';
import { competitions } from './competitions.js';
import { readSeries } from './judge.js';
import { manyValues } from './many-values.js';

const SERIES = 100_000;
const ROWS = 60;
const SEASON = 12;
const HORIZON = 12;
const ASKED_SECONDS = 120;
const ASKED_BYTES = 2 ** 30;

const FORECAST_SERIES = 1000;
const FORECAST_MILLISECONDS = 100;

/** Makes up monthly series of 60 values, with a season. */
function makeSeries(count: number): ForecastSeries[] {
  const random = seededRandom(1);
  return Array.from({ length: count }, () => {
    const level = 1000 * random();
    const values = Float64Array.from({ length: ROWS }, (_, at) =>
      Math.max(0, level * (1 + 0.3 * Math.sin((2 * Math.PI * at) / SEASON) + random() / 2)),
    );
    return { start: 0, values, past: [], known: [] };
  });
}

/** Many series that are made up; alone, so that the largest memory of the process is theirs. */
const speed: Scenario = {
  name: 'speed',
  run: async () => {
    const series = makeSeries(SERIES);
    const set = { season: SEASON, calendar: (at: number) => [at % SEASON], series };
    const begun = performance.now();
    const options = { horizon: HORIZON, seed: 1, progress: new Progress(() => {}) };
    const { model } = fitForecaster(set, options);
    const seconds = (performance.now() - begun) / 1000;
    const bytes = process.resourceUsage().maxRSS * 1024;
    const forecaster = finish(Forecaster.create(model, set));
    const asked = series.slice(0, FORECAST_SERIES);
    forecaster.forecast(asked, HORIZON);
    const before = performance.now();
    forecaster.forecast(asked, HORIZON);
    const milliseconds = performance.now() - before;
    return [
      {
        asked: `${SERIES} series of ${ROWS} rows fitted in ${ASKED_SECONDS} s`,
        measured: `${seconds.toFixed(0)} s`,
        passed: seconds <= ASKED_SECONDS,
      },
      {
        asked: 'the process then has needed at most 1 GiB',
        measured: `${(bytes / 2 ** 20).toFixed(0)} MiB`,
        passed: bytes <= ASKED_BYTES,
      },
      {
        asked: `${FORECAST_SERIES} of them forecast in ${FORECAST_MILLISECONDS} ms`,
        measured: `${milliseconds.toFixed(0)} ms`,
        passed: milliseconds <= FORECAST_MILLISECONDS,
      },
    ];
  },
};

const MODEL = '/api/projects/default/models/series';
const STEPS = 18;
const ASKED_SERIES = 1000;
const ANSWER_MILLISECONDS = 200;
const READY_SECONDS = 30;
const REPEATS = 9;

/** Monthly series through the service: those of M3 if a folder of series is named, else as many made-up ones. */
const service = onService({ name: 'service', start: { env: { RATE_LIMIT: '0' } } }, async ({ url }, given) => {
  const series = await monthlySeries(given);
  const begun = performance.now();
  const query = `target=value&order_by=month&group_by=series&horizon=${STEPS}`;
  await train(`${url}${MODEL}?${query}`, writeCsv(series));
  const seconds = (performance.now() - begun) / 1000;
  const rows = series.slice(0, ASKED_SERIES).map((_, index) => ({ series: index }));
  const predict = () => ask('POST', `${url}${MODEL}/predict`, rows);
  const milliseconds = await timeWork(REPEATS, predict);
  return [
    {
      asked: `${series.length} monthly series, upload to ready, in ${READY_SECONDS} s`,
      measured: `${seconds.toFixed(1)} s`,
      passed: seconds <= READY_SECONDS,
    },
    {
      asked: `forecasts of ${ASKED_SERIES} series × ${STEPS} steps over HTTP in ${ANSWER_MILLISECONDS} ms`,
      measured: `${milliseconds.toFixed(0)} ms at p50 of ${REPEATS}`,
      passed: milliseconds <= ANSWER_MILLISECONDS,
    },
  ];
});

async function monthlySeries({ data }: Given): Promise<readonly ForecastSeries[]> {
  if (data === undefined) return makeSeries(1428);
  const sets = await readSeries(data, 'm3');
  return sets.find(({ name }) => name === 'm3, monthly')?.set.series ?? [];
}

function writeCsv(series: readonly ForecastSeries[]): string {
  const lines = ['series,month,value'];
  for (const [index, { values }] of series.entries()) {
    for (const [at, value] of values.entries()) {
      const month = String(1 + (at % 12)).padStart(2, '0');
      lines.push(`${index},${2000 + Math.floor(at / 12)}-${month},${value}`);
    }
  }
  return lines.join('\n');
}

await runScenarios({
  name: 'bench:forecast',
  description:
    'Measure forecasts and their intervals on public series, from a folder with m1, m3, tourism, hourly, halfhourly, daily and weekly.jsonl.',
  file: 'forecast',
  scenarios: [speed, service, ...manyValues, ...competitions],
});
