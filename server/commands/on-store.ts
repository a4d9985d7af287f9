import { userInfo } from 'node:os';
import pRetry from 'p-retry';
import { readConfig } from '../config.js';
import { type Act, createAct } from '../store/audit.js';
import { mayPass } from '../store/database/unavailable.js';
import { Store } from '../store/index.js';

/**
 * Returns the URL of the store that a command shares with the service.
 * @throws {ConfigError}
 * @throws if no other process can see that store
 */
export function findSharedStore(): string {
  const { databaseUrl } = readConfig(process.env);
  if (databaseUrl !== ':memory:') return databaseUrl;
  throw new Error('DATABASE_URL is :memory:, a store that no other process sees');
}

/**
 * The intervals at which a locked or unreachable store is retried, and the total time, in
 * milliseconds. A running attempt is not cut off: if the host never responds, the first may take
 * all of that time.
 */
const RETRY = { minTimeout: 50, maxTimeout: 300, maxRetryTime: 3000 };

/**
 * Opens the store that the service uses, even while it runs, and closes it after the work. Retries
 * the work if the store was unavailable: the work is one transaction, or only reads.
 * @throws {ConfigError}
 * @throws if the store cannot be opened, or the work throws
 */
export async function onStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const url = findSharedStore();
  const attempt = async () => {
    const store = await Store.open(url);
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  };
  const retries = Number.POSITIVE_INFINITY;
  return pRetry(attempt, { ...RETRY, retries, shouldRetry: ({ error }) => isWorthARetry(error) });
}

function isWorthARetry(error: unknown): boolean {
  return mayPass(error) || (error instanceof Error && isWorthARetry(error.cause));
}

/**
 * Returns the event of a command, for the audit log.
 * @param operation of the contract, or a name like those
 * @param resource the address of the resource
 */
export function describeCommand(owner: string, operation: string, resource: string): Act {
  return createAct(owner, operation, resource, findUser());
}

/** Returns the name of who runs the command; null if the system does not know it, as in some containers. */
function findUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
