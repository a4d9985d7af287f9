import type { ForecastSeries } from 'roster-prediction/internals';
import { Forecaster, fitForecaster, Progress, seededRandom } from 'roster-prediction/internals';
import { finish } from 'roster-prediction/predicting';
import { timeWork } from '../load.js';
import type { Finding, Scenario } from '../scenarios.js';
import { onService, train } from '../services.js';

const SERIES = 400;
const ROWS = 900;
const HORIZON = 48;
const DAY = 24;
const WEEK = 168;

const FIT_SECONDS = 20;
const ANSWER_MILLISECONDS = 300;
/** Bases are computed once in place of four times, beside the trees, which take the same time in both. */
const ASKED_SHARE = 0.4;
const REPEATS = 9;

/** Makes up series of hours, with a day and a week. */
function makeHours(): ForecastSeries[] {
  const random = seededRandom(1);
  return Array.from({ length: SERIES }, () => {
    const level = 100 + 1000 * random();
    let moved = 0;
    const values = Float64Array.from({ length: ROWS }, (_, at) => {
      moved = 0.9 * moved + 0.1 * (random() - 0.5);
      const isWorkday = Math.floor(at / DAY) % 7 < 5;
      const ofDay = Math.sin((2 * Math.PI * at) / DAY) * (isWorkday ? 0.4 : 0.15);
      return Math.round(level * (1 + ofDay + moved + 0.1 * random()));
    });
    return { start: 0, values, past: [], known: [] };
  });
}

/** Returns the processor seconds of this process since `before`. */
function secondsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/** Trains, and forecasts all series by what the training stored of them, and without that. */
const fitted: Scenario = {
  name: 'hours',
  run: async (): Promise<Finding[]> => {
    const series = makeHours();
    const calendar = (at: number) => [at % DAY, Math.floor(at / DAY) % 7];
    const set = { season: DAY, seasons: [DAY, WEEK], calendar, series };
    const begun = process.cpuUsage();
    const { model, fits } = fitForecaster(set, { horizon: HORIZON, seed: 1, progress: new Progress(() => {}) });
    const seconds = secondsSince(begun);
    const forecaster = finish(Forecaster.create(model, set));
    const stored = series.map((one, index) => ({ ...one, ...(fits[index] && { fit: fits[index] }) }));
    const [once = 0, anew = 0] = [stored, series].map((asked) => {
      const times = Array.from({ length: REPEATS }, () => {
        const before = process.cpuUsage();
        forecaster.forecast(asked, HORIZON);
        return secondsSince(before);
      });
      return times.sort((one, other) => one - other)[REPEATS >> 1] ?? 0;
    });
    return [
      {
        asked: `${SERIES} series of ${ROWS} hours, horizon ${HORIZON}: trained in ${FIT_SECONDS} s of processor time`,
        measured: `${seconds.toFixed(1)} s`,
        passed: seconds <= FIT_SECONDS,
      },
      {
        asked: `a forecast of all by what the training stored of each, beside one without ≤ ${ASKED_SHARE}`,
        measured: `${(once / anew).toFixed(2)}: ${(1000 * once).toFixed(0)} and ${(1000 * anew).toFixed(0)} ms of processor time`,
        passed: once / anew <= ASKED_SHARE,
      },
    ];
  },
};

const MODEL = '/api/projects/default/models/hours';

/** The same through the service. */
const service = onService({ name: 'hours-service', start: { env: { RATE_LIMIT: '0' } } }, async ({ url }) => {
  const lines = ['series,hour,value'];
  for (const [index, { values }] of makeHours().entries()) {
    for (const [at, value] of values.entries()) {
      lines.push(`${index},${new Date(Date.UTC(2025, 0, 6, at)).toISOString()},${value}`);
    }
  }
  const query = `target=value&order_by=hour&group_by=series&horizon=${HORIZON}`;
  await train(`${url}${MODEL}?${query}`, lines.join('\n'));
  const asked = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '[]' };
  const forecast = async () => {
    const answer = await fetch(`${url}${MODEL}/predict`, asked);
    if (answer.status !== 200) throw new Error(`${answer.status}: ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  const milliseconds = await timeWork(REPEATS, forecast);
  return [
    {
      asked: `a forecast of all ${SERIES} series over HTTP in ${ANSWER_MILLISECONDS} ms`,
      measured: `${milliseconds.toFixed(0)} ms at p50 of ${REPEATS}`,
      passed: milliseconds <= ANSWER_MILLISECONDS,
    },
  ];
});

const MINUTES = 1_000_000;
const MINUTES_SECONDS = 60;
const MINUTES_BYTES = 2 ** 29;

/** One long series of minutes, with a day and a week: seasons of 1,440 and 10,080 steps. */
const minutes: Scenario = {
  name: 'minutes',
  run: async (): Promise<Finding[]> => {
    const random = seededRandom(1);
    const values = Float64Array.from({ length: MINUTES }, (_, at) => {
      const ofDay = Math.sin((2 * Math.PI * at) / (60 * DAY));
      const isWorkday = Math.floor(at / (60 * DAY)) % 7 < 5;
      return 100 + (isWorkday ? 40 : 10) * ofDay + 5 * random();
    });
    const calendar = (at: number) => [Math.floor(at / 60) % DAY, Math.floor(at / (60 * DAY)) % 7];
    const series = [{ start: 0, values, past: [], known: [] }];
    const begun = process.cpuUsage();
    const { model } = fitForecaster(
      { season: 60 * DAY, seasons: [60 * DAY, 60 * WEEK], calendar, series },
      { horizon: 60, seed: 1, progress: new Progress(() => {}) },
    );
    const seconds = secondsSince(begun);
    const bytes = process.resourceUsage().maxRSS * 1024;
    const found = (model.metrics.seasons ?? []).map(({ length, series_share }) => `${length}: ${series_share}`);
    return [
      {
        asked: `one series of ${MINUTES} minutes: trained in ${MINUTES_SECONDS} s of processor time`,
        measured: `${seconds.toFixed(1)} s`,
        passed: seconds <= MINUTES_SECONDS,
      },
      {
        asked: 'the process then has needed at most 512 MiB',
        measured: `${(bytes / 2 ** 20).toFixed(0)} MiB`,
        passed: bytes <= MINUTES_BYTES,
      },
      { asked: 'its seasons, and whether they were found', measured: found.join(', ') },
    ];
  },
};

export const manyValues = [fitted, service, minutes];
