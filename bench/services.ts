import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Service, startService } from '../testkit/service/measured-service.js';
import { startPostgres } from '../testkit/store/postgres-database.js';

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

/** Starts two services for some work, each with a store of its own, and kills them afterwards. */
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
