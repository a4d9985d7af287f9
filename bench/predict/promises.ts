import { join } from 'node:path';
import { MEDIA_TYPES } from 'roster-client';
import { DatabaseSync } from '../../server/store/database/sqlite-connection.js';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { columnsOf, fileOf } from '../../testkit/data/table-files.js';
import { wireBytes } from '../../testkit/http/load.js';
import { fieldOf } from '../../testkit/json.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { compareRates, measureRate } from '../load.js';
import type { Finding } from '../scenarios.js';
import { onMeasured, ROWS, trainPricesPath } from './service.js';

const MILLION = 1_000_000;

/** The times that the rows are in a stream. */
const TIMES = 10;
const STREAMS = `streams of ${(TIMES * ROWS).toLocaleString('en')} rows`;

/** The cost of remembering rows, and of taking their truths. */
export const promises = onMeasured('promises', async (service, { folder }) => {
  const path = await trainPricesPath(service);
  const remembering = (format: 'csv' | 'ndjson', name: string) => {
    const request = (query: string) => streamRequest(service.url, path + query, format);
    const rate = (sent: Buffer) => () =>
      measureRate({ service, request: sent, connections: 1, seconds: 4 });
    return compareRates({
      asked: `${STREAMS} of ${name} that are remembered: at least 0.9 of the rows a second`,
      ...{ first: rate(request('?remember=true')), second: rate(request('')), least: 0.9 },
      rounds: 7,
    });
  };
  return [
    await remembering('csv', 'CSV'),
    await remembering('ndjson', 'lines of JSON'),
    ...(await addMillion(service, path, join(folder, 'roster.db'))),
  ];
});

function streamRequest(url: string, path: string, format: 'csv' | 'ndjson'): Buffer {
  const { rows } = diamondTable(ROWS);
  const all = Array.from({ length: TIMES }, () => rows).flat();
  const type = MEDIA_TYPES[format];
  const file = fileOf(format, columnsOf(all));
  return wireBytes(url, 'POST', path, file, { 'Content-Type': type, Accept: type });
}

async function addMillion(
  { url }: Service,
  path: string,
  file: string,
): Promise<readonly Finding[]> {
  const rows = diamondTable(ROWS).csv.trimEnd().split('\n');
  const lines = `${rows.slice(1).join('\n')}\n`;
  const before = measureStore(file);
  const ids: string[] = [];
  const answering = performance.now();
  for (let part = 0; part < MILLION / ROWS; part++) {
    const answer = await post(`${url}${path}?remember=true`, `${rows[0]}\n${lines}`);
    for (const line of (await answer.text()).trimEnd().split('\r\n').slice(1)) {
      ids.push(line.slice(line.lastIndexOf(',') + 1));
    }
  }
  const answered = (performance.now() - answering) / 1000;
  const after = measureStore(file);
  const actuals = `${url}${path.replace(/predict$/, 'actuals')}`;
  const body = `__service_row_id,price\n${ids.map((id, row) => `${id},${row}\n`).join('')}`;
  const time = async (): Promise<[answer: unknown, seconds: number]> => {
    const begun = performance.now();
    const answer: unknown = await (await post(actuals, body)).json();
    return [answer, (performance.now() - begun) / 1000];
  };
  const [first, adding] = await time();
  const [second, again] = await time();
  const perRow = (after.bytes - before.bytes) / MILLION;
  const rate = (seconds: number) => `${Math.round(MILLION / seconds / 1000)} k rows a second`;
  return [
    {
      asked: 'a million promises: at most 100 bytes each, with room for the truth',
      measured: `${perRow.toFixed(1)} bytes, in ${after.batches - before.batches} batches; ${rate(answered)}`,
      passed: perRow <= 100,
    },
    {
      asked: 'a million truths in one body, and again: each is counted once',
      measured: `${rate(adding)} new, ${rate(again)} known`,
      passed: fieldOf(first, 'matched') === MILLION && fieldOf(second, 'unchanged') === MILLION,
    },
  ];
}

function post(url: string, body: string): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body });
}

function measureStore(file: string): { bytes: number; batches: number } {
  const database = new DatabaseSync(file, { readOnly: true });
  const row: unknown = database
    .prepare('select coalesce(sum(bytes), 0) as bytes, count(*) as batches from promises')
    .get();
  database.close();
  return { bytes: Number(fieldOf(row, 'bytes')), batches: Number(fieldOf(row, 'batches')) };
}
