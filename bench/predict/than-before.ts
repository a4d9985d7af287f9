import { join } from 'node:path';
import type { Finding, Given, Scenario } from '../scenarios.js';
import {
  type BodyFormat,
  compare,
  middle,
  pricesPath,
  type Repeated,
  ROWS,
  rateOf,
  ratio,
  requestOf,
  rowsASecond,
  withService,
} from './service.js';

const ROUNDS = 7;
const SECONDS = 3;
const MAX_COST = 0.45;
const MIN_TIMES = 2;

/** The same requests to this build and to an earlier one, which `--before FOLDER` names, in turn. */
export const thanBefore: Scenario = {
  name: 'than-before',
  run: async (folder, { before }: Given) => {
    if (before === undefined) return [NOT_GIVEN];
    const main = join(before, 'dist/server/main.js');
    return withService(folder, (service) =>
      withService(
        join(folder, 'before'),
        async (earlier) => {
          const path = await pricesPath(service);
          await pricesPath(earlier);
          const rates = (format: BodyFormat) => {
            const rate = (of: Repeated['service']) => {
              const request = requestOf(of.url, path, format);
              return () => rateOf({ service: of, request }, SECONDS);
            };
            return compare(rate(service), rate(earlier), ROUNDS);
          };
          const json = await rates('json');
          const lines = await rates('ndjson');
          const [cost, times] = [ratio(json, 'cost'), ratio(lines, 'perSecond')];
          const body = (rates: typeof json.first) => `${middle(rates, 'cost').toFixed(1)} ms`;
          return [
            {
              asked: `${ROWS.toLocaleString('en')}-row JSON bodies: at most ${MAX_COST} of the processor time of before`,
              measured: `${cost.toFixed(2)} (median of ${ROUNDS} rounds): ${body(json.first)} a body against ${body(json.second)}`,
              passed: cost <= MAX_COST,
            },
            {
              asked: `${ROWS.toLocaleString('en')} lines of JSON: at least ${MIN_TIMES} times the rows a second of before`,
              measured: `${times.toFixed(2)} times: ${rowsASecond(lines.first)} against ${rowsASecond(lines.second)}`,
              passed: times >= MIN_TIMES,
            },
          ];
        },
        { main },
      ),
    );
  },
};

const NOT_GIVEN: Finding = {
  asked: 'predictions take less than before',
  measured: 'left out: `--before FOLDER` names the folder of an earlier commit, built',
  passed: undefined,
};
