import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { MEDIA_TYPES } from 'roster-client';
import { diamondTable } from '../../testkit/data/diamonds.js';
import { columnsOf, fileOf } from '../../testkit/data/table-files.js';
import { ask } from '../../testkit/http/client.js';
import { Crowd, wireBytes } from '../../testkit/http/load.js';
import { fieldOf } from '../../testkit/json.js';
import { median } from '../../testkit/numbers.js';
import {
  processorTime,
  type Service,
  startService,
} from '../../testkit/service/measured-service.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';

const LOOP_DELAY = new URL('../loop-delay.js', import.meta.url);

/** The program of a service. */
interface Program {
  /** A module that is loaded first; by default the one that watches the event loop. */
  readonly preload?: URL;
  /** The main file, if it is not that of this build. */
  readonly main?: string;
}

/** Runs the service on an empty store, without a rate limit. */
export async function withService<T>(
  folder: string,
  use: (service: Service) => Promise<T>,
  { preload = LOOP_DELAY, main }: Program = {},
): Promise<T> {
  await mkdir(folder, { recursive: true });
  const url = `file:${join(folder, 'roster.db')}`;
  const env = { LOG_LEVEL: 'info', RATE_LIMIT: '0' };
  const service = await startService(folder, url, env, { preload, ...(main && { main }) });
  try {
    return await use(service);
  } finally {
    await service.kill();
  }
}

/** Returns the address of a model of diamonds' prices, trained with the whole table. */
export async function diamondPrices({ url }: Service): Promise<string> {
  const model = `${url}/api/projects/default/models/prices`;
  const { csv } = diamondTable();
  await ask('PUT', `${model}?target=price`, csv);
  await untilReadyAt(model);
  return model;
}

/** Returns the delays of the service's event loop since the last call, in milliseconds. */
export async function loopDelays(service: Service): Promise<{ p99: number; max: number }> {
  const answer = await service.ask('loop delay');
  return { p99: Number(fieldOf(answer, 'p99')), max: Number(fieldOf(answer, 'max')) };
}

/** Returns the path at which a model of diamonds' prices predicts, after training it. */
export async function pricesPath(service: Service): Promise<string> {
  return `${new URL(await diamondPrices(service)).pathname}/predict`;
}

/** Trains with a table that is generated while it is sent. Resolves when it is accepted. */
export async function upload(model: string, target: string, csv: Iterable<string>): Promise<void> {
  const response = await fetch(`${model}?target=${target}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: Readable.toWeb(Readable.from(csv).map((text: string) => Buffer.from(text))),
    duplex: 'half',
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

/** A request that is sent again and again, and the connections that send it at once. */
export interface Repeated {
  readonly service: Pick<Service, 'url' | 'pid'>;
  readonly request: Buffer;
  readonly connections?: number;
}

/** The figures of one round. */
export interface Rate {
  readonly perSecond: number;
  /** The processor time of a request, in milliseconds. */
  readonly cost: number;
}

/** The rates of two requests, measured in turn. */
export interface Compared {
  readonly first: readonly Rate[];
  readonly second: readonly Rate[];
}

/** @throws if an answer is not 2xx */
export async function rateOf(
  { service, request, connections = 1 }: Repeated,
  seconds: number,
): Promise<Rate> {
  const crowd = new Crowd(service.url, () => request);
  const before = processorTime(service.pid);
  const load = await crowd.closedLoop(connections, seconds);
  const worked = processorTime(service.pid) - before;
  crowd.close();
  if (load.others.length > 0) throw new Error(load.others[0]);
  return { perSecond: load.served / load.seconds, cost: worked / load.served };
}

/** Measures two requests in turn, round by round, after a round that does not count. */
export async function compare(
  first: () => Promise<Rate>,
  second: () => Promise<Rate>,
  rounds: number,
): Promise<Compared> {
  const compared = { first: [] as Rate[], second: [] as Rate[] };
  for (let round = 0; round <= rounds; round++) {
    const rates = [await first(), await second()] as const;
    if (round === 0) continue;
    compared.first.push(rates[0]);
    compared.second.push(rates[1]);
  }
  return compared;
}

/** Returns the median over the rounds of what the first has for each of the second. */
export function ratio({ first, second }: Compared, what: keyof Rate): number {
  return median(first.map((rate, round) => rate[what] / (second[round]?.[what] ?? 0)));
}

/** Returns the median of a figure of rates. */
export function middle(rates: readonly Rate[], what: keyof Rate): number {
  return median(rates.map((rate) => rate[what]));
}

/** The rows of a body. */
export const ROWS = 10_000;

/** The formats of bodies that are answered in the same format. */
export type BodyFormat = 'json' | 'ndjson' | 'csv' | 'arrow-stream';

const columns = columnsOf(diamondTable(ROWS).rows);

/** Returns a body of 10,000 diamonds. */
export function bodyOf(format: BodyFormat): Buffer {
  return fileOf(format, columns);
}

/** Returns a request to predict 10,000 diamonds, which asks for an answer in the same format. */
export function requestOf(url: string, path: string, format: BodyFormat): Buffer {
  const mediaType = MEDIA_TYPES[format];
  const headers = { 'Content-Type': mediaType, Accept: mediaType };
  return wireBytes(url, 'POST', path, bodyOf(format), headers);
}

/** Tells the rows a second of requests of 10,000 rows. */
export function rowsASecond(rates: readonly Rate[]): string {
  return `${Math.round((middle(rates, 'perSecond') * ROWS) / 1000).toLocaleString('en')} k rows/s`;
}
