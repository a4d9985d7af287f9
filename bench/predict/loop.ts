import { Crowd } from '../../testkit/http/load.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import type { Scenario } from '../scenarios.js';
import { loopDelays, pricesPath, ROWS, requestOf, upload, withService } from './service.js';
import { SYNTHETIC_TARGET, syntheticCsv } from './synthetic.js';

const TRAINING_ROWS = 100_000;
const SECONDS = 8;
/** The longest delay at p99, in milliseconds: of bodies alone, and beside a training. */
const MAX_DELAY = { bodies: 10, training: 25 };

/** Measures for how long the event loop is blocked while large bodies are answered, and while a model trains, too. */
export const eventLoop: Scenario = {
  name: 'event-loop',
  run: (folder) =>
    withService(folder, async (service) => {
      const request = requestOf(service.url, await pricesPath(service), 'json');
      const crowd = new Crowd(service.url, () => request);
      /** Sends bodies without a pause, beside some other work. */
      const measure = async (most: number, what: string, beside?: () => Promise<void>) => {
        await loopDelays(service);
        const [load] = await Promise.all([crowd.closedLoop(1, SECONDS), beside?.()]);
        const { p99, max } = await loopDelays(service);
        return {
          asked: `the event loop is held for at most ${most} ms at p99, while ${ROWS.toLocaleString('en')}-row predictions come without a pause${what}`,
          measured: `p99 ${p99.toFixed(1)} ms, longest ${max.toFixed(1)} ms; ${load.served} bodies answered meanwhile`,
          passed: p99 <= most && load.others.length === 0,
        };
      };
      await crowd.closedLoop(1, 2);
      const alone = await measure(MAX_DELAY.bodies, '');
      const table = [...syntheticCsv(TRAINING_ROWS)];
      const other = `${service.url}/api/projects/default/models/other`;
      const training = async () => {
        await upload(other, SYNTHETIC_TARGET, table);
        await untilReadyAt(other);
      };
      const what = `, and ${TRAINING_ROWS.toLocaleString('en')} × 10 are uploaded and trained`;
      const beside = await measure(MAX_DELAY.training, what, training);
      crowd.close();
      return [alone, beside];
    }),
};
