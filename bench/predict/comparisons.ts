import { execFile } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { MEDIA_TYPES } from 'roster-client';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { columnsOf, fileOf } from '../../testkit/data/table-files.js';
import { wire } from '../../testkit/http/load.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { compareRates, measureRate } from '../rates.js';
import type { Finding, Scenario } from '../scenarios.js';
import { withService, withTwoServices } from '../services.js';
import {
  type BodyFormat,
  bodyOf,
  MEASURED,
  ROWS,
  requestOf,
  trainPricesPath,
  upload,
} from './service.js';
import { SYNTHETIC_TARGET, syntheticRows } from './synthetic.js';

const ROUNDS = 7;
const BODIES = `${ROWS.toLocaleString('en')}-row bodies`;
const run = promisify(execFile);

/** Returns what measures a service with bodies of 10,000 rows. */
function bodies(service: Service, path: string, format: BodyFormat, connections = 1) {
  const request = requestOf(service.url, path, format);
  return () => measureRate({ service, request, connections, seconds: 3 });
}

/** Rows a second in other formats, compared with those in JSON, at the same service. */
const formats: Scenario = {
  name: 'formats',
  run: (folder) =>
    withService(
      folder,
      async (service) => {
        const path = await trainPricesPath(service);
        const faster = (format: BodyFormat, name: string, least: number) =>
          compareRates({
            asked: `${BODIES} of ${name}, answered in ${name}: at least ${least} times the rows a second of JSON`,
            first: bodies(service, path, format),
            second: bodies(service, path, 'json'),
            ...{ least, rounds: ROUNDS },
          });
        return [await faster('csv', 'CSV', 1.4), await faster('arrow-stream', 'Arrow', 1.5)];
      },
      MEASURED,
    ),
};

/**
 * Predictions of one client, compared with the cost of JSON.parse of the request and JSON.stringify of the answer in
 * the same process while it is otherwise idle: without HTTP, validation or a model.
 */
const jsonBodies: Scenario = {
  name: 'json-bodies',
  run: (folder) =>
    withService(
      folder,
      async (service) => {
        const path = await trainPricesPath(service);
        const headers = { 'Content-Type': 'application/json' };
        const body = bodyOf('json');
        const response = await fetch(service.url + path, { method: 'POST', headers, body });
        if (response.status !== 200) throw new Error(await response.text());
        const files = [join(folder, 'body.json'), join(folder, 'answer.json')] as const;
        await writeFile(files[0], body);
        await writeFile(files[1], Buffer.from(await response.arrayBuffer()));
        const finding = await compareRates({
          asked: `predict over HTTP, ${BODIES} of JSON of one client: at least 1.2 times the rows a second of JSON.parse + JSON.stringify alone`,
          first: bodies(service, path, 'json'),
          second: async () => {
            const perSecond = Number(await service.ask(`parse and stringify ${files.join(' ')}`));
            return { perSecond, cost: Number.NaN };
          },
          ...{ least: 1.2, rounds: ROUNDS },
        });
        return [finding];
      },
      MEASURED,
    ),
};

/** Two clients whose large bodies are answered on two cores or on one, by the same process. */
const twoCores: Scenario = {
  name: 'two-cores',
  run: async (folder): Promise<Finding[]> => {
    const asked = `${BODIES} of JSON of two clients: at least 1.7 times the rows a second on two cores as on one`;
    const hasTaskset = await run('taskset', ['--version']).catch(() => undefined);
    if (availableParallelism() < 2 || !hasTaskset) {
      const measured = 'left out: it needs two cores and taskset';
      return [{ asked, measured, passed: undefined }];
    }
    const use = async (service: Service) => {
      const rate = bodies(service, await trainPricesPath(service), 'json', 2);
      const on = (cores: string) => async () => {
        await run('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, `${service.pid}`]);
        return rate();
      };
      const both = { first: on('0,1'), second: on('0') };
      return [await compareRates({ asked, ...both, least: 1.7, rounds: ROUNDS })];
    };
    return withService(folder, use, MEASURED);
  },
};

/** Predictions of one row, compared with the same request to the same service with an empty operation. */
const oneRow: Scenario = {
  name: 'one-row',
  run: (folder) => {
    const use = async (service: Service, empty: Service) => {
      const path = await trainPricesPath(service);
      const [row] = diamondTable(1).rows;
      const rate = (service: Service) => () => {
        const request = wire(service.url, 'POST', path, [row]);
        return measureRate({ service, request, connections: 8, seconds: 2 });
      };
      const finding = await compareRates({
        asked:
          'predict over HTTP, one row: at least 0.9 of the requests a second of an empty validated operation',
        ...{ first: rate(service), second: rate(empty) },
        ...{ least: 0.9, rounds: 9 },
      });
      return [finding];
    };
    const main = fileURLToPath(new URL('./empty-predict.js', import.meta.url));
    return withTwoServices(folder, use, { first: MEASURED, second: { ...MEASURED, main } });
  },
};

/** Training with a million rows from a Parquet file, and with the same from CSV. */
const tableFormats: Scenario = {
  name: 'table-formats',
  run: async (folder) => {
    const columns = columnsOf([...syntheticRows(1_000_000)]);
    const files = { csv: join(folder, 'table.csv'), parquet: join(folder, 'table.parquet') };
    await writeFile(files.csv, fileOf('csv', columns));
    await writeFile(files.parquet, fileOf('parquet', columns, { rowsPerBatch: 100_000 }));
    const use = async ({ url }: Service) => {
      const train = (format: keyof typeof files) => async () => {
        const model = `${url}/api/projects/default/models/synthetic`;
        const begun = performance.now();
        const table = await openAsBlob(files[format]);
        await upload(model, SYNTHETIC_TARGET, table, MEDIA_TYPES[format]);
        await untilReadyAt(model);
        return { perSecond: Number.NaN, cost: performance.now() - begun };
      };
      const finding = await compareRates({
        asked:
          'training 1,000,000 × 10 from Parquet, from the upload until ready: at most 0.8 of the time from CSV',
        ...{ first: train('parquet'), second: train('csv') },
        ...{ what: 'cost', most: 0.8, rounds: 3, warmUps: 0 },
      });
      return [finding];
    };
    return withService(folder, use, MEASURED);
  },
};

/** Each compares two works that are measured in turn, round by round. */
export const comparisons = { formats, jsonBodies, twoCores, oneRow, tableFormats };
