import { MEDIA_TYPES } from 'roster-client';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { toColumns, writeFile } from '../../testkit/data/table-files.js';
import { wire, wireBytes } from '../../testkit/http/load.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { compareRates, measureRate } from '../load.js';
import { type BodyFormat, onMeasured, ROWS, trainPricesPath } from '../predict/service.js';

const ROUNDS = 9;
const LEAST = 0.9;

/** The requests of a round. */
const REQUESTS = 4;
const SMALL_REQUESTS = 200;

/** The times that the rows are in a body: of JSON, which has a limit, fewer. */
const TIMES = { csv: 10, ndjson: 10, json: 5, 'arrow-stream': 10 };

/** Rows that are remembered, beside the same that are not. */
export const remembering = onMeasured('remembering', async (service) => {
  const path = await trainPricesPath(service);
  const compare = (format: BodyFormat, name: string) => {
    const rate = (query: string) => () => {
      const request = bodyRequest(service, path + query, format);
      return measureRate({ service, request, seconds: 0, count: REQUESTS });
    };
    return compareRates({
      asked: `${(TIMES[format] * ROWS).toLocaleString('en')} rows of ${name} that are remembered: at least ${LEAST} of the rows a second`,
      first: rate('?remember=true'),
      second: rate(''),
      least: LEAST,
      rounds: ROUNDS,
    });
  };
  return [
    await compare('csv', 'CSV in a stream'),
    await compare('ndjson', 'lines of JSON in a stream'),
    await compare('json', 'JSON'),
    await compare('arrow-stream', 'Arrow in a stream'),
    await compareOneRow(service, path),
  ];
});

function bodyRequest({ url }: Service, path: string, format: BodyFormat): Buffer {
  const { rows } = diamondTable(ROWS);
  const all = Array.from({ length: TIMES[format] }, () => rows).flat();
  const type = MEDIA_TYPES[format];
  const headers = { 'Content-Type': type, Accept: type };
  return wireBytes(url, 'POST', path, writeFile(format, toColumns(all)), headers);
}

/** One remembered row, which waits for a commit, beside the smallest write of the same store. */
function compareOneRow(service: Service, path: string) {
  const { url } = service;
  let created = 0;
  const create = () => {
    const skill = { name: `skill-${created++}`, type: 'answer', params: {} };
    return wire(url, 'POST', '/api/projects/default/skills', { skill });
  };
  const predict = wire(url, 'POST', `${path}?remember=true`, diamondTable(1).rows);
  const small = { service, seconds: 0, count: SMALL_REQUESTS };
  return compareRates({
    asked: 'one row that is remembered, against a skill that is created',
    first: () => measureRate({ ...small, request: predict }),
    second: () => measureRate({ ...small, request: create, statuses: [201] }),
    rounds: ROUNDS,
  });
}
