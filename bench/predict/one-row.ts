import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { wire } from '../../testkit/http/load.js';
import { percent } from '../../testkit/numbers.js';
import type { Service } from '../../testkit/service/measured-service.js';
import type { Scenario } from '../scenarios.js';
import { compare, middle, pricesPath, type Rate, rateOf, ratio, withService } from './service.js';

const ROUNDS = 9;
const SECONDS = 2;
const CONNECTIONS = 8;
const AIM = 0.9;
const EMPTY_PREDICT = fileURLToPath(new URL('./empty-predict.js', import.meta.url));

/** Predictions of one row, compared with the same request to the same service with an empty operation. */
export const oneRow: Scenario = {
  name: 'one-row',
  run: (folder) =>
    withService(folder, async (service) => {
      const path = await pricesPath(service);
      const { rows } = diamondTable(1);
      const rate = (service: Service) =>
        rateOf(
          {
            service,
            request: wire(service.url, 'POST', path, rows),
            connections: CONNECTIONS,
          },
          SECONDS,
        );
      return withService(
        join(folder, 'empty'),
        async (empty) => {
          const compared = await compare(
            () => rate(service),
            () => rate(empty),
            ROUNDS,
          );
          const share = ratio(compared, 'perSecond');
          return [
            {
              asked: `predict over HTTP, one row: at least ${percent(AIM)} of the requests a second of an empty validated operation`,
              measured: `${percent(share)} (median of ${ROUNDS} rounds): ${told(compared.first)} against ${told(compared.second)}`,
              passed: share >= AIM,
            },
          ];
        },
        { main: EMPTY_PREDICT },
      );
    }),
};

function told(rates: readonly Rate[]): string {
  const cost = 1000 * middle(rates, 'cost');
  return `${middle(rates, 'perSecond').toFixed(0)}/s at ${cost.toFixed(0)} µs of processor`;
}
