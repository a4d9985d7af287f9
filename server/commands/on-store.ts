import pRetry from 'p-retry';
import { isUnavailable, Store } from '../store/index.js';
import { sharedStore } from './shared-store.js';

/**
 * When a store that is locked or out of reach is tried again, in milliseconds, and until when. An attempt that
 * has begun goes on: where nobody answers, the first may take all of that time, and is the last.
 */
const RETRY = { minTimeout: 50, maxTimeout: 300, maxRetryTime: 3000 };

/**
 * Opens the store that the service uses, which may run meanwhile, and closes it after the work. The work
 * begins again where the store could not do it: it is one transaction, or only reads.
 * @throws {ConfigError}
 * @throws if the store cannot be opened, and what the work throws
 */
export async function onStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const url = sharedStore();
  const attempt = async () => {
    const store = await Store.open(url);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const retries = Number.POSITIVE_INFINITY;
  return pRetry(attempt, { ...RETRY, retries, shouldRetry: ({ error }) => mayPass(error) });
}

function mayPass(error: unknown): boolean {
  return isUnavailable(error) || (error instanceof Error && mayPass(error.cause));
}
