import type { ForecastSeries } from '../../prediction/src/tasks/forecasting/series.js';
import { ask } from '../../testkit/http/client.js';
import { median } from '../../testkit/numbers.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import type { Given, Scenario } from '../scenarios.js';
import { withService } from '../services.js';
import { readSeries } from './series-file.js';
import { makeSeries } from './speed.js';

const MODEL = '/api/projects/default/models/series';
const HORIZON = 18;
const ASKED_SERIES = 1000;
const ASKED_MILLISECONDS = 200;
const ASKED_SECONDS = 30;
const REPEATS = 9;

/** Monthly series through the service: those of M3 if a folder of series is named, else as many made-up ones. */
export const service: Scenario = {
  name: 'service',
  run: (folder, given) =>
    withService(
      folder,
      async ({ url }) => {
        const series = await monthlySeries(given);
        const query = `target=value&order_by=month&group_by=series&horizon=${HORIZON}`;
        const begun = performance.now();
        await ask('PUT', `${url}${MODEL}?${query}`, writeCsv(series));
        await untilReadyAt(url + MODEL);
        const seconds = (performance.now() - begun) / 1000;
        const rows = series.slice(0, ASKED_SERIES).map((_, index) => ({ series: index }));
        const times: number[] = [];
        for (let round = 0; round < REPEATS; round++) {
          const before = performance.now();
          await ask('POST', `${url}${MODEL}/predict`, rows);
          times.push(performance.now() - before);
        }
        const milliseconds = median(times);
        return [
          {
            asked: `${series.length} monthly series, upload to ready, in ${ASKED_SECONDS} s`,
            measured: `${seconds.toFixed(1)} s`,
            passed: seconds <= ASKED_SECONDS,
          },
          {
            asked: `forecasts of ${ASKED_SERIES} series × ${HORIZON} steps over HTTP in ${ASKED_MILLISECONDS} ms`,
            measured: `${milliseconds.toFixed(0)} ms at p50 of ${REPEATS}`,
            passed: milliseconds <= ASKED_MILLISECONDS,
          },
        ];
      },
      { env: { RATE_LIMIT: '0' } },
    ),
};

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
