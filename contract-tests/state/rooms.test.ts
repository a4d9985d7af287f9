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

/** For how long a request is waited for before it is given up, and sent again, in milliseconds. */
const PATIENCE = 500;
const PATIENCE_OF_THE_CROWD = 5000;

const { databaseUrl } = inject('target');
const isPostgres = databaseUrl?.startsWith('postgres') === true;
const NO_CROWD = 'a store of SQLite does its work at once, so that no crowd gathers';

let store: OwnStore;
let server: ServerProcess;
let key: string;
let lock: Connection;

beforeAll(async () => {
  if (!isPostgres) return;
  store = await ownStore(databaseUrl);
  key = await makeKey(store.databaseUrl, ['--name', 'own']);
  server = await startServer({ env: { DATABASE_URL: store.databaseUrl, RATE_LIMIT: ENOUGH } });
  lock = await store.connect();
});
afterAll(async () => {
  if (!isPostgres) return;
  await lock.close();
  await server.kill();
  await store.remove();
});

/** Keeps those who are at work waiting, by a lock, and lets a crowd in behind them while the tests run. */
function behindLock(sql: string, sizes: Record<string, number>): void {
  const leaving = new AbortController();
  beforeAll(async () => {
    if (!isPostgres) return;
    await lock.run(`begin; ${sql}`);
    for (const operation of operations) {
      const size = sizes[operation.id] ?? 0;
      for (let number = 0; number < size; number += 1) void crowdIn(operation, leaving.signal);
    }
  });
  afterAll(async () => {
    leaving.abort();
    if (isPostgres) await lock.run('rollback');
  });
}

/** Comes again some time after it was sent away, or has waited for so long that it is no longer in the way. */
async function crowdIn(operation: Operation, leaving: AbortSignal): Promise<void> {
  while (!leaving.aborted) {
    const signal = AbortSignal.any([leaving, AbortSignal.timeout(PATIENCE_OF_THE_CROWD)]);
    const answer = await fetch(requestOf(operation, signal)).catch(() => undefined);
    await answer?.arrayBuffer().catch(() => undefined);
    // Whoever comes again at once is held back, and soon all who ask on such a connection would be.
    await delay(2000);
  }
}

function requestOf(operation: Operation, signal: AbortSignal): Request {
  const { path, headers, ...init } = wholeRequest(operation);
  const authorized = { ...headers, Authorization: `Bearer ${key}` };
  return new Request(server.url + path, { ...init, headers: authorized, signal });
}

/** Asks until there is no room. Whoever finds some waits for the lock, and gives up. */
async function untilRefused(operation: Operation): Promise<void> {
  for (;;) {
    const signal = AbortSignal.timeout(PATIENCE);
    const answer = await checkedFetch(requestOf(operation, signal)).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    if (answer === undefined) continue;
    expect(answer.status).toBe(503);
    expect(answer.headers.get('Retry-After')).toBe('1');
    const { detail } = await objectOf(answer);
    if (`${detail}`.includes('as it takes on at once')) return;
  }
}

const bounded = operations.filter(
  ({ place }) =>
    place.entries('security').length > 0 && place.find('responses', '503') !== undefined,
);
const isPrediction = ({ id }: Operation) => id === 'predict';

describe('while as many predictions are asked for as there is room for', () => {
  behindLock('lock table models in access exclusive mode', { predict: 60 });

  test.for(bounded.filter(isPrediction))(
    '$id is told to come back',
    async (operation, { skip }) => {
      skip(!isPostgres, NO_CROWD);
      await untilRefused(operation);
    },
  );
});

describe('while as much is asked for as there is room for', () => {
  // Far more than the half of a room that one owner may fill. Writes to one project wait in line, and leave
  // the connections to the store to those who ask who calls.
  behindLock('select * from projects for update', { deleteSkill: 640, trainModel: 40 });

  test.for(bounded.filter((operation) => !isPrediction(operation)))(
    '$id is told to come back',
    async (operation, { skip }) => {
      skip(!isPostgres, NO_CROWD);
      await untilRefused(operation);
    },
  );
});
