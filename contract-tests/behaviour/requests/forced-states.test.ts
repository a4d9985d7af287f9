/**
 * Tests of states that take a day, a hundred trainings or repeated crashes to reach, and are written to the
 * store instead.
 */

import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { claimAnswer } from '../../../server/store/idempotent-replies.js';
import { Store } from '../../../server/store/index.js';
import { slowTable } from '../../../testkit/data/diamonds.js';
import { operations } from '../../../testkit/openapi/document.js';
import { exampleRequests, makeTable } from '../../../testkit/openapi/example-requests.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { type Connection, type OwnStore, ownStore } from '../../../testkit/store/own-store.js';
import { checkedFetch } from '../../checked-fetch.js';
import { readObject } from '../../target.js';

let store: OwnStore;
let server: ServerProcess;
let connection: Connection;
beforeAll(async () => {
  store = await ownStore(inject('target').databaseUrl);
  server = await startServer({ env: { DATABASE_URL: store.databaseUrl } });
  connection = await store.connect();
});
afterAll(async () => {
  await connection.close();
  await server.kill();
  await store.remove();
});

function send(path: string, init: RequestInit = {}): Promise<Response> {
  return checkedFetch(new Request(server.url + path, init));
}

function sendJson(path: string, body: unknown, headers = {}): Promise<Response> {
  return send(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

// This service has no keys, so nobody makes one; their answers are kept without secrets, and tested beside them.
const creations = operations.filter(({ id }) => id.startsWith('create') && id !== 'createKey');

// A conversation is created with the chatbot of the contract's example.
beforeAll(async () => {
  await sendJson('/projects/default/chatbots', { chatbot: { name: 'help_desk' } });
});

describe.each(creations)('the kept answer of $id under an Idempotency-Key', (operation) => {
  const [{ path, body = '' }] = exampleRequests(operation);
  const create = (name: string, key: string) => {
    // Only the required fields: the other ones in the example refer to resources that do not exist.
    const [kind = ''] = Object.keys(JSON.parse(body));
    const required = kind === 'skill' ? { type: 'lookup' } : {};
    const named = kind === 'conversation' ? { title: name } : { name, ...required };
    return sendJson(path, { [kind]: named }, { 'Idempotency-Key': key });
  };
  const age = (milliseconds: number) =>
    connection.run(`update kept_answers set created_at = '${new Date(Date.now() - milliseconds).toISOString()}'`);
  const DAY = 24 * 60 * 60 * 1000;

  test('is repeated for a day, and then forgotten', async () => {
    const first = await create('today', operation.id);
    expect(first.status).toBe(201);
    await age(DAY - 60 * 60_000);
    expect(await (await create('today', operation.id)).text()).toBe(await first.text());
    expect((await create('tomorrow', operation.id)).status).toBe(422);
    await age(DAY + 1000);
    expect((await create('tomorrow', operation.id)).status).toBe(201);
  });

  test('gets a 409 with Retry-After while the first request is in progress', async ({ skip }) => {
    skip(!store.isPostgres, 'on SQLite, creations run one after the other');
    const another = await Store.open(store.databaseUrl);
    try {
      await another.transaction(async (store) => {
        await claimAnswer(store, 'local', 'in-flight');
        const refused = await create('late', 'in-flight');
        expect(refused.status).toBe(409);
        expect(refused.headers.get('Retry-After')).toBe('1');
        expect(await refused.json()).toMatchObject({ type: '/problems/request-in-progress' });
      });
    } finally {
      await another.close();
    }
    expect((await create('late', 'in-flight')).status).toBe(201);
  });
});

describe('while a training runs', () => {
  const at = (name: string) => `/api/projects/default/models/${name}`;
  const train = (name: string, table = makeTable('x,price\n1,2\n2,5\n3,7\n')) =>
    send(`${at(name)}?target=price`, { method: 'PUT', headers: { 'Content-Type': 'text/csv' }, body: table });
  const statusOf = async (name: string) => (await readObject(await send(at(name))))['status'];

  test('a model whose training fails goes on with the previous version, and without one shows the failure', async () => {
    await train('first_good');
    await expect.poll(() => statusOf('first_good')).toBe('ready');
    await train('slow', slowTable());
    expect((await train('first_good')).status).toBe(202);
    expect((await train('never_good')).status).toBe(202);
    // As if each had been attempted as often as allowed, and had ended with the process every time.
    await connection.run('update model_versions set attempts = 3 where claimed_by is null');
    await send(at('slow'), { method: 'DELETE' });
    for (const name of ['first_good', 'never_good']) {
      await expect.poll(() => statusOf(name)).toBe('failed');
    }
    expect(await readObject(await send(at('first_good')))).toMatchObject({
      version: 2,
      serving_version: 1,
      failure: expect.stringContaining('cut short'),
    });
    expect((await sendJson(`${at('first_good')}/predict`, [{}])).status).toBe(200);
    const refused = await sendJson(`${at('never_good')}/predict`, [{}]);
    expect(refused.status).toBe(409);
    expect(refused.headers.get('Retry-After')).toBeNull();
    expect(await refused.json()).toMatchObject({ model_status: 'failed' });
  });

  /** Puts other trainings of a project into the queue. */
  async function queueLike(name: string, count: number): Promise<void> {
    const first = 100_000_000_000;
    const numbers = `with recursive numbers(number) as (
      select ${first} union all select number + 1 from numbers where number < ${first + count - 1})`;
    const id = `'019a2f40-3e40-7d7e-a051-' || cast(number as text)`;
    await connection.run(`${numbers} insert into models (id, project_id, name, created_at)
      select ${id}, project_id, 'like_' || cast(number as text), created_at
      from models, numbers where name = '${name}'`);
    await connection.run(`${numbers} insert into model_versions
      (id, model_id, version, status, task, target, row_count, updated_at)
      select ${id}, ${id}, version, status, task, target, row_count, updated_at
      from model_versions, numbers where model_id = (select id from models where name = '${name}')`);
  }

  test('an owner has at most fifty other trainings waiting, and the next one is refused with Retry-After', async () => {
    await train('slow', slowTable());
    await expect.poll(async () => (await send('/metrics')).text()).toMatch(/^roster_trainings_running 1$/m);
    expect((await train('first')).status).toBe(202);
    await queueLike('first', 48);
    expect((await train('fiftieth')).status).toBe(202);
    const refused = await train('too_many');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('Retry-After')).toBe('60');
    expect((await send(at('too_many'))).status).toBe(404);
  });
});
