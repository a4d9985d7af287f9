/** Tests of each operation when the store fails, or is temporarily unavailable. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { operations } from '../../../testkit/openapi/document.js';
import { wholeRequest } from '../../../testkit/openapi/example-requests.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { ENOUGH, makeKey } from '../../../testkit/store/keys.js';
import { type Connection, type OwnStore, ownStore } from '../../../testkit/store/own-store.js';
import { checkedFetch } from '../../checked-fetch.js';

/** The tables that the operations use. The keys are left out, so that callers can be authenticated. */
const TABLES = ['projects', 'skills', 'agents', 'chatbots', 'models', 'model_versions', 'responses', 'audit_events'];

let store: OwnStore;
let server: ServerProcess;
let key: string;
/** A key that the server has not seen before. */
let unused: string;
let other: Connection;

beforeAll(async () => {
  store = await ownStore(inject('target').databaseUrl);
  key = await makeKey(store.databaseUrl, { name: 'own' });
  unused = await makeKey(store.databaseUrl, { name: 'unused' });
  server = await startServer({ env: { DATABASE_URL: store.databaseUrl, RATE_LIMIT: ENOUGH } });
  other = await store.connect();
});
afterAll(async () => {
  await other.close();
  await server.kill();
  await store.remove();
});

type Operation = (typeof operations)[number];

function ask(operation: Operation, as = key): Promise<Response> {
  const { path, headers, ...init } = wholeRequest(operation);
  const request = new Request(server.url + path, { ...init, headers });
  request.headers.set('Authorization', `Bearer ${as}`);
  return checkedFetch(request);
}

const secured = operations.filter(({ place }) => place.entries('security').length > 0);
/**
 * A document is split before it is written, and only if its skill is found to keep documents. A model is trained
 * again only if it has a source. A preview keeps nothing.
 */
const READS_FIRST = ['putDocument', 'retrainModel', 'previewTable'];
const isWrite = ({ id, place }: Operation) =>
  (place.find('security', '0', 'apiKey', '0')?.value === 'write' || ['createKey', 'deleteKey'].includes(id)) &&
  !READS_FIRST.includes(id);

/** They read only the caller from the store, so they are tested with a caller who is not cached. */
const OF_THE_CALLER = ['getCaller', 'getMetrics'];
const ofTheCaller = secured.filter(({ id }) => OF_THE_CALLER.includes(id));
const asked = secured.filter((operation) => !ofTheCaller.includes(operation));

describe('while another process locks the store', () => {
  const answers = new Map<string, Response>();

  beforeAll(async () => {
    await other.run(
      store.isPostgres ? `begin; lock table ${TABLES.join(', ')} in access exclusive mode` : 'begin immediate',
    );
    const answering = asked.map(async (operation) => {
      answers.set(operation.id, await ask(operation));
    });
    const cancelling = store.isPostgres ? await cancelLockWaits() : undefined;
    await Promise.all(answering);
    if (store.isPostgres) {
      await other.run('lock table api_keys in access exclusive mode');
      for (const operation of ofTheCaller) answers.set(operation.id, await ask(operation, unused));
    }
    await cancelling?.stop();
    return () => other.run('rollback');
  });

  test.each(asked.filter(isWrite))('$id answers 503 with Retry-After', async ({ id }) => {
    expect(answers.get(id)?.status).toBe(503);
    expect(answers.get(id)?.headers.get('Retry-After')).toBe('1');
    expect(await answers.get(id)?.json()).toMatchObject({ type: '/problems/service-unavailable' });
  });

  test.for(secured.filter((operation) => !isWrite(operation)))(
    '$id answers 503 with Retry-After if reads wait for writes',
    async ({ id }, { skip }) => {
      skip(!store.isPostgres, 'on SQLite, reads do not wait for writes');
      expect(answers.get(id)?.status).toBe(503);
    },
  );
});

/** Ends the wait for a lock at once, instead of after seconds. */
async function cancelLockWaits() {
  const connection = await store.connect();
  const waiters = `select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  let isOver = false;
  const over = (async () => {
    for (; !isOver; await delay(20)) await connection.run(waiters);
  })();
  return {
    stop: async () => {
      isOver = true;
      await over;
      await connection.close();
    },
  };
}

describe('when the tables of the store are gone', () => {
  beforeAll(async () => {
    for (const table of TABLES) await other.run(`alter table ${table} rename to gone_${table}`);
  });

  test.each(asked)('$id answers 500 without details', async (operation) => {
    await expectInternalError(await ask(operation));
  });

  test('the authentication of a new caller answers 500 too', async () => {
    await other.run('alter table api_keys rename to gone_api_keys');
    for (const operation of ofTheCaller) await expectInternalError(await ask(operation, unused));
  });

  test('the liveness does not change', async () => {
    expect((await checkedFetch(new Request(`${server.url}/health/live`))).status).toBe(200);
  });
});

async function expectInternalError(answer: Response): Promise<void> {
  expect(answer.status).toBe(500);
  const text = await answer.text();
  expect(text).toContain('"type":"/problems/internal-error"');
  // The address may have the word "tables".
  const others = text.replace(/"instance":"[^"]*"/, '');
  expect(others).not.toMatch(/gone|table|relation|sql|Error:|\.js/i);
}
