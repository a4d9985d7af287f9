import { diamondTable } from '../../testkit/data/diamonds.js';
import { Crowd, wire } from '../../testkit/http/load.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import type { Scenario } from '../scenario/scenario.js';
import { diamondPrices, loopDelays, upload, withService } from './service.js';
import { SYNTHETIC_TARGET, syntheticCsv } from './synthetic.js';

const ROWS = 10_000;
const TRAINING_ROWS = 100_000;
const MAX_DELAY_MS = 25;

/** Measures for how long the event loop is blocked while a model trains and large bodies are answered. */
export const eventLoop: Scenario = {
  name: 'event-loop',
  run: (folder) =>
    withService(folder, async (service) => {
      const path = `${new URL(await diamondPrices(service)).pathname}/predict`;
      const { rows } = diamondTable(ROWS);
      const request = wire(service.url, 'POST', path, rows);
      const crowd = new Crowd(service.url, () => request);
      await crowd.closedLoop(1, 2);
      const table = [...syntheticCsv(TRAINING_ROWS)];
      const other = `${service.url}/api/projects/default/models/other`;
      await loopDelays(service);
      const training = upload(other, SYNTHETIC_TARGET, table).then(() => untilReadyAt(other));
      const [load] = await Promise.all([crowd.closedLoop(1, 8), training]);
      crowd.close();
      const { p99, max } = await loopDelays(service);
      return [
        {
          asked: `the event loop is held for at most ${MAX_DELAY_MS} ms at p99, while ${TRAINING_ROWS.toLocaleString('en')} × 10 are uploaded and trained and ${ROWS.toLocaleString('en')}-row predictions are sent`,
          measured: `p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms; ${load.served} bodies answered meanwhile`,
          passed: p99 <= MAX_DELAY_MS && load.others.length === 0,
        },
      ];
    }),
};
