import { openAsBlob, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MEDIA_TYPES } from 'roster-client';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { toColumns, writeFile } from '../../testkit/data/table-files.js';
import { ask } from '../../testkit/http/client.js';
import { wire } from '../../testkit/http/load.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { compareRates, measureRate } from '../load.js';
import { runScenarios, type Scenario } from '../scenarios.js';
import { pin, separateCores, train, withTwoServices } from '../services.js';
import { memory } from './memory.js';
import { peer, scoring } from './scoring.js';
import { type BodyFormat, MEASURED, onMeasured, ROWS, trainPricesPath, writeRequest } from './service.js';
import { streams } from './streams.js';
import { SYNTHETIC_TARGET, syntheticRows } from './synthetic.js';
import { eventLoop, largeTraining, training } from './training.js';

const ROUNDS = 7;
const BODIES = `${ROWS.toLocaleString('en')}-row bodies`;

/** Returns what measures a service with bodies of 10,000 rows. */
function bodies(service: Service, path: string, format: BodyFormat, connections = 1) {
  const request = writeRequest(service.url, path, format);
  return () => measureRate({ service, request, connections, seconds: 3 });
}

/** Rows a second in other formats, compared with those in JSON, at the same service. */
const formats = onMeasured('formats', async (service) => {
  const path = await trainPricesPath(service);
  const faster = (format: BodyFormat, name: string, least: number) =>
    compareRates({
      asked: `${BODIES} of ${name}, answered in ${name}: at least ${least} times the rows a second of JSON`,
      first: bodies(service, path, format),
      second: bodies(service, path, 'json'),
      least,
      rounds: ROUNDS,
    });
  return [await faster('csv', 'CSV', 1.4), await faster('arrow-stream', 'Arrow', 1.5)];
});

/**
 * Predictions of one client, compared with the cost of JSON.parse of the request and JSON.stringify of the answer in
 * the same process while it is otherwise idle: without HTTP, validation or a model.
 */
const jsonBodies = onMeasured('json-bodies', async (service, { folder }) => {
  const path = await trainPricesPath(service);
  const rows = diamondTable(ROWS).rows;
  const contents = { body: rows, answer: await ask('POST', service.url + path, rows) };
  const files = Object.entries(contents).map(([name, content]) => {
    const file = join(folder, `${name}.json`);
    writeFileSync(file, JSON.stringify(content));
    return file;
  });
  const finding = await compareRates({
    asked: `predict over HTTP, ${BODIES} of JSON of one client: at least 1.2 times the rows a second of JSON.parse + JSON.stringify alone`,
    first: bodies(service, path, 'json'),
    second: async () => {
      const perSecond = Number(await service.ask(`parse and stringify ${files.join(' ')}`));
      return { perSecond, cost: Number.NaN, allCost: Number.NaN };
    },
    least: 1.2,
    rounds: ROUNDS,
  });
  return [finding];
});

/** Two clients whose large bodies are answered on two cores or on one, by the same process. */
const twoCores = onMeasured('two-cores', async (service) => {
  const asked = `${BODIES} of JSON of two clients: at least 1.7 times the rows a second on two cores as on one`;
  if (!separateCores()) return [{ asked, measured: 'left out: it needs two cores and taskset' }];
  const rate = bodies(service, await trainPricesPath(service), 'json', 2);
  const on = (cores: string) => () => {
    pin(service.pid, cores);
    return rate();
  };
  const both = { first: on('0,1'), second: on('0') };
  return [await compareRates({ asked, ...both, least: 1.7, rounds: ROUNDS })];
});

/** Predictions of one row, compared with the same request to the same service with an empty operation. */
const oneRow: Scenario = {
  name: 'one-row',
  run: ({ folder }) => {
    const use = async (service: Service, empty: Service) => {
      const path = await trainPricesPath(service);
      const [row] = diamondTable(1).rows;
      const rate = (service: Service) => () => {
        const request = wire(service.url, 'POST', path, [row]);
        return measureRate({ service, request, connections: 8, seconds: 2 });
      };
      const finding = await compareRates({
        asked: 'predict over HTTP, one row: at least 0.9 of the requests a second of an empty validated operation',
        first: rate(service),
        second: rate(empty),
        least: 0.9,
        rounds: 9,
      });
      return [finding];
    };
    const main = fileURLToPath(new URL('./empty-predict.js', import.meta.url));
    return withTwoServices(folder, use, { first: MEASURED, second: { ...MEASURED, main } });
  },
};

/** Training with a million rows from a Parquet file, and with the same from CSV. */
const tableFormats = onMeasured('table-formats', async ({ url }, { folder }) => {
  const columns = toColumns([...syntheticRows(1_000_000)]);
  const files = { csv: join(folder, 'table.csv'), parquet: join(folder, 'table.parquet') };
  writeFileSync(files.csv, writeFile('csv', columns));
  writeFileSync(files.parquet, writeFile('parquet', columns, { rowsPerBatch: 100_000 }));
  const timed = (format: keyof typeof files) => async () => {
    const address = `${url}/api/projects/default/models/synthetic?target=${SYNTHETIC_TARGET}`;
    const table = await openAsBlob(files[format]);
    const seconds = await train(address, table, { 'Content-Type': MEDIA_TYPES[format] });
    const cost = (seconds.upload + seconds.training) * 1000;
    return { perSecond: Number.NaN, cost, allCost: Number.NaN };
  };
  const finding = await compareRates({
    asked: 'training 1,000,000 × 10 from Parquet, from the upload until ready: at most 0.8 of the time from CSV',
    first: timed('parquet'),
    second: timed('csv'),
    what: 'cost',
    most: 0.8,
    rounds: 3,
    warmUps: 0,
  });
  return [finding];
});

await runScenarios({
  name: 'bench:predict',
  description: 'Measure the cost of predictions and trainings, beside their limits.',
  file: 'predict',
  scenarios: [
    ...[scoring, peer, jsonBodies, twoCores, formats, oneRow],
    ...[training, eventLoop, streams, largeTraining, tableFormats, ...memory],
  ],
});
