import pRetry from 'p-retry';
import { readConfig } from '../config.js';
import { isUnavailable, Store } from '../store/index.js';

/** How often a store that is locked or out of reach is tried again: for about three seconds in all. */
const PATIENCE = { retries: 12, minTimeout: 50, maxTimeout: 300 };

/**
 * Opens the store that the service uses, which may run meanwhile, and closes it after the work. The work
 * begins again where the store could not do it: it is one transaction, or only reads.
 * @throws {ConfigError}
 * @throws if the store cannot be opened, and what the work throws
 */
export async function onStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { databaseUrl } = readConfig(process.env);
  if (databaseUrl === ':memory:') {
    throw new Error('DATABASE_URL is :memory:, a store that no other process sees');
  }
  const attempt = async () => {
    const store = await Store.open(databaseUrl);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  return pRetry(attempt, { ...PATIENCE, shouldRetry: ({ error }) => mayPass(error) });
}

function mayPass(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof Error && mayPass(error.cause));
}
