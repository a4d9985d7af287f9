import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { Crowd, wire } from '../../testkit/http/load.js';
import { median, percent } from '../../testkit/numbers.js';
import { processorTime, type Service } from '../../testkit/service/measured-service.js';
import type { Scenario } from '../scenario/scenario.js';
import { diamondPrices, withService } from './service.js';

const ROUNDS = 9;
const SECONDS = 2;
const CONNECTIONS = 8;
const EMPTY_PREDICT = new URL('./empty-predict.js', import.meta.url);

interface Rate {
  readonly requests: number;
  /** The processor time of a request, in microseconds. */
  readonly cost: number;
}

/** Predictions of one row, compared with the same request to the same service with an empty operation. */
export const oneRow: Scenario = {
  name: 'one-row',
  run: (folder) =>
    withService(folder, async (service) => {
      const path = `${new URL(await diamondPrices(service)).pathname}/predict`;
      const { rows } = diamondTable(1);
      const emptyFolder = join(folder, 'empty');
      await mkdir(emptyFolder);
      return withService(
        emptyFolder,
        async (empty) => {
          const measured = [measure(service, path, rows), measure(empty, path, rows)] as const;
          for (const round of measured) await round();
          const predicting: Rate[] = [];
          const doing: Rate[] = [];
          for (let round = 0; round < ROUNDS; round++) {
            predicting.push(await measured[0]());
            doing.push(await measured[1]());
          }
          const ratios = predicting.map(
            ({ requests }, round) => requests / (doing[round]?.requests ?? 0),
          );
          const rate = (rates: readonly Rate[]) =>
            `${median(rates.map(({ requests }) => requests)).toFixed(0)}/s at ${median(rates.map(({ cost }) => cost)).toFixed(0)} µs of processor`;
          return [
            {
              asked:
                'predict over HTTP, one row: at least 90 % of the requests a second of an empty validated operation',
              measured: `${percent(median(ratios))} (median of ${ROUNDS} rounds): ${rate(predicting)} against ${rate(doing)}`,
              passed: median(ratios) >= 0.9,
            },
          ];
        },
        EMPTY_PREDICT,
      );
    }),
};

function measure({ url, pid }: Service, path: string, rows: readonly unknown[]) {
  const request = wire(url, 'POST', path, rows);
  return async (): Promise<Rate> => {
    const crowd = new Crowd(url, () => request);
    const before = processorTime(pid);
    const { served, seconds, others } = await crowd.closedLoop(CONNECTIONS, SECONDS);
    crowd.close();
    if (others.length > 0) throw new Error(others[0]);
    return { requests: served / seconds, cost: ((processorTime(pid) - before) * 1000) / served };
  };
}
