/** What each operation answers while as much is asked of the service as it takes on at once. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { operations } from '../contract.js';
import { wholeRequest } from '../example-requests.js';
import { objectOf } from '../stage.js';
import { ENOUGH, makeKey } from '../targets/keys.js';
import { type Connection, type OwnStore, ownStore } from '../targets/own-store.js';
import { type ServerProcess, startServer } from '../targets/server-process.js';
import { checkedFetch } from '../wire.js';

type Operation = (typeof operations)[number];

/**
 * Those that crowd in, and how many of them: far more than the half of a room that one owner may fill.
 * Writes to one project wait in line, and leave the connections to the store to those who ask who calls.
 */
const CROWDS: Record<string, number> = { deleteSkill: 640, trainModel: 40 };

/** For how long a request is waited for before it is given up, and sent again, in milliseconds. */
const PATIENCE = 500;
const PATIENCE_OF_THE_CROWD = 5000;

let store: OwnStore;
let server: ServerProcess;
let key: string;
let lock: Connection;
const leaving = new AbortController();

const { databaseUrl } = inject('target');
const isPostgres = databaseUrl?.startsWith('postgres') === true;

beforeAll(async () => {
  if (!isPostgres) return;
  store = await ownStore(databaseUrl);
  key = await makeKey(store.databaseUrl, ['--name', 'own']);
  server = await startServer({ env: { DATABASE_URL: store.databaseUrl, RATE_LIMIT: ENOUGH } });
  lock = await store.connect();
  // Whoever is at work waits for this.
  await lock.run('begin; select * from projects for update');
  for (const operation of operations) {
    for (let number = CROWDS[operation.id] ?? 0; number > 0; number -= 1) void crowdIn(operation);
  }
});
afterAll(async () => {
  if (!isPostgres) return;
  leaving.abort();
  await lock.close();
  await server.kill();
  await store.remove();
});

function requestOf(operation: Operation, signal: AbortSignal): Request {
  const { path, headers, ...init } = wholeRequest(operation);
  const authorized = { ...headers, Authorization: `Bearer ${key}` };
  return new Request(server.url + path, { ...init, headers: authorized, signal });
}

/** Comes again soon after it was sent away, or has waited for so long that it would no longer be in the way. */
async function crowdIn(operation: Operation): Promise<void> {
  while (!leaving.signal.aborted) {
    const signal = AbortSignal.any([leaving.signal, AbortSignal.timeout(PATIENCE_OF_THE_CROWD)]);
    const answer = await fetch(requestOf(operation, signal)).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    // Whoever comes again at once is held back, and soon all who ask on such a connection would be.
    await delay(2000);
  }
}

/** But for predictions, which have a room of their own that those who write do not fill. */
const bounded = operations.filter(
  ({ id, place }) =>
    id !== 'predict' &&
    place.entries('security').length > 0 &&
    place.find('responses', '503') !== undefined,
);

describe('while as much is asked for as there is room for', () => {
  test.for(bounded)('$id is told to come back', async (operation, { skip }) => {
    skip(!isPostgres, 'a store of SQLite does its work at once, so that no crowd gathers');
    for (;;) {
      const signal = AbortSignal.timeout(PATIENCE);
      const answer = await checkedFetch(requestOf(operation, signal)).catch((error: unknown) => {
        // It found room, and waits for the store.
        if (!signal.aborted) throw error;
      });
      if (answer === undefined) continue;
      expect(answer.status).toBe(503);
      expect(answer.headers.get('Retry-After')).toBe('1');
      const { detail } = await objectOf(answer);
      if (`${detail}`.includes('as it takes on at once')) return;
    }
  });
});
