import { MEDIA_TYPES } from 'roster-client';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { toColumns, writeFile } from '../../testkit/data/table-files.js';
import { wireBytes } from '../../testkit/http/load.js';
import { readField } from '../../testkit/json.js';
import type { Service } from '../../testkit/service/measured-service.js';
import { PRELOAD } from '../preload.js';
import type { Finding, Given, Scenario } from '../scenarios.js';
import { onService, type Start, train } from '../services.js';

/** A service without a rate limit, which says how long its event loop was held. */
export const MEASURED: Start = { preload: PRELOAD, env: { LOG_LEVEL: 'info', RATE_LIMIT: '0' } };

export function onMeasured(name: string, measure: (service: Service, given: Given) => Promise<Finding[]>): Scenario {
  return onService({ name, start: MEASURED }, measure);
}

/** Trains a model of diamonds' prices with the whole table. Returns the path at which it predicts. */
export async function trainPricesPath({ url }: Service): Promise<string> {
  const model = '/api/projects/default/models/prices';
  await train(`${url}${model}?target=price`, diamondTable().csv);
  return `${model}/predict`;
}

/** Returns the delays of the service's event loop since the last call, in milliseconds. */
export async function loopDelays(service: Service): Promise<{ p99: number; max: number }> {
  const answer = await service.ask('loop delay');
  return { p99: Number(readField(answer, 'p99')), max: Number(readField(answer, 'max')) };
}

export const ROWS = 10_000;

/** The formats of bodies that are answered in the same format. */
export type BodyFormat = 'json' | 'ndjson' | 'csv' | 'arrow-stream';

const columns = toColumns(diamondTable(ROWS).rows);

/** Returns a request to predict 10,000 diamonds, which asks for an answer in the same format. */
export function writeRequest(url: string, path: string, format: BodyFormat): Buffer {
  const mediaType = MEDIA_TYPES[format];
  const headers = { 'Content-Type': mediaType, Accept: mediaType };
  return wireBytes(url, 'POST', path, writeFile(format, columns), headers);
}
