import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Headers } from '../testkit/http/client.js';
import { type Service, startService } from '../testkit/service/measured-service.js';
import { untilReadyAt } from '../testkit/service/train-prices.js';
import { startPostgres } from '../testkit/store/postgres-database.js';
import type { Finding, Given, Scenario } from './scenarios.js';

/**
 * The environment that all measured servers share. Roster counts the requests of each key, as shipped, with a limit
 * that is never reached.
 */
export const ENVIRONMENT = {
  NODE_ENV: 'production',
  LOG_LEVEL: 'info',
  RATE_LIMIT: '999999999',
  MAX_RESOURCES: '999999999',
};

/** Options of a started service; by default the built one, on SQLite in its folder. */
export interface Start {
  readonly databaseUrl?: string;
  readonly env?: NodeJS.ProcessEnv;
  /** A module that is loaded before the service. */
  readonly preload?: URL;
  /** The program to run instead of the service. */
  readonly main?: string;
}

/** Starts a service for some work, and kills it afterwards. */
export async function withService<T>(
  folder: string,
  use: (service: Service) => Promise<T>,
  { databaseUrl = `file:${join(folder, 'roster.db')}`, env, ...options }: Start = {},
): Promise<T> {
  await mkdir(folder, { recursive: true });
  const service = await startService(folder, databaseUrl, env, options);
  try {
    return await use(service);
  } finally {
    await service.kill();
  }
}

/** Returns a scenario that measures a service which is started for it. */
export function onService(
  { start, ...scenario }: Omit<Scenario, 'run'> & { readonly start?: Start },
  measure: (service: Service, given: Given) => Promise<Finding[]>,
): Scenario {
  const run = (given: Given) => withService(given.folder, (service) => measure(service, given), start);
  return { ...scenario, run };
}

/** Starts two services for some work, each with its own store, and kills them afterwards. */
export function withTwoServices<T>(
  folder: string,
  use: (first: Service, second: Service) => Promise<T>,
  { first, second }: { readonly first?: Start; readonly second?: Start } = {},
): Promise<T> {
  return withService(
    join(folder, 'first'),
    (one) => withService(join(folder, 'second'), (other) => use(one, other), second),
    first,
  );
}

/** Makes an empty database on PostgreSQL for some work, and removes it afterwards. */
export async function withPostgres<T>(use: (url: string) => Promise<T>): Promise<T> {
  const database = await startPostgres();
  try {
    return await use(database.url);
  } finally {
    await database.remove();
  }
}

/**
 * Returns a scenario on SQLite, which has a short form, and the same on PostgreSQL.
 * @param measure kills a service on a store so many times
 */
export function onBothStores(
  name: string,
  kills: number,
  measure: (folder: string, databaseUrl: string, kills: number) => Promise<Finding[]>,
): Scenario[] {
  const sqlite = ({ folder, isShort }: Given) => measure(folder, `file:${folder}/roster.db`, isShort ? 3 : kills);
  return [
    { name: `${name}-sqlite`, hasShort: true, run: sqlite },
    { name: `${name}-postgres`, run: ({ folder }) => withPostgres((url) => measure(folder, url, kills)) },
  ];
}

/**
 * Sends a table to train a model; pieces of text are made while they are sent. Resolves when it is accepted.
 * @param address with the query of the training
 */
export async function upload(
  address: string,
  table: string | Blob | Iterable<string>,
  headers: Headers = {},
): Promise<void> {
  const body =
    typeof table === 'string' || table instanceof Blob
      ? table
      : Readable.toWeb(Readable.from(table).map((text: string) => Buffer.from(text)));
  const all = Object.entries({ 'Content-Type': 'text/csv', ...headers });
  const response = await fetch(address, {
    method: 'PUT',
    body,
    duplex: 'half',
    headers: all.map(([name, value]): [string, string] => [name, String(value)]),
  });
  if (response.status !== 202) throw new Error(`${response.status}: ${await response.text()}`);
  await response.body?.cancel();
}

/** Trains a model, and waits until it is ready. @returns the seconds until the table was accepted, and from then */
export async function train(address: string, table: string | Blob | Iterable<string>, headers?: Headers) {
  const begun = performance.now();
  await upload(address, table, headers);
  const accepted = performance.now();
  await untilReadyAt(address.replace(/\?.*/, ''), headers);
  const ready = performance.now();
  return { upload: (accepted - begun) / 1000, training: (ready - accepted) / 1000 };
}

/** The core of the servers and that of the load. */
export interface Cores {
  readonly servers: number;
  readonly load: number;
}

/** @returns undefined if there is one core, or no `taskset` */
export function separateCores(): Cores | undefined {
  // As proc_pid_status(5) has it, `0-3,8` are five cores.
  const status = readFileSync('/proc/self/status', 'utf8');
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  const cores = list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
  const [servers, ...others] = cores;
  const load = others.at(-1);
  if (servers === undefined || load === undefined) return undefined;
  try {
    execFileSync('taskset', ['--cpu-list', String(servers), 'true']);
    return { servers, load };
  } catch {
    return undefined;
  }
}

/** Pins a process to cores, such as `0,1`, with all of its threads and those that they start. */
export function pin(pid: number, cores: number | string | undefined): void {
  if (cores === undefined) return;
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(cores), String(pid)]);
}
