import { Forecaster, fitForecaster } from '../../prediction/src/tasks/forecasting/method.js';
import type { ForecastSeries } from '../../prediction/src/tasks/forecasting/series.js';
import { Progress } from '../../prediction/src/training/progress.js';
import { seededRandom } from '../../prediction/src/trees/random.js';
import { finish } from '../../prediction/src/trees/steps.js';
import type { Scenario } from '../scenarios.js';

const SERIES = 100_000;
const ROWS = 60;
const SEASON = 12;
const HORIZON = 12;
const ASKED_SECONDS = 120;
const ASKED_BYTES = 2 ** 30;

const FORECAST_SERIES = 1000;
const FORECAST_MILLISECONDS = 100;

/** Makes up monthly series of 60 values, with a season. */
export function makeSeries(count: number): ForecastSeries[] {
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
export const speed: Scenario = {
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
