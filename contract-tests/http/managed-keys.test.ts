/** Keys that make keys: each attack by which one would get more than it has. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { asRecord } from '../../contract/json-record.js';
import type { Scope } from '../../contract/scopes.js';
import { Store } from '../../server/store/index.js';
import { makeKey } from '../../testkit/store/keys.js';
import { readObject, sendAs } from '../target.js';

const OWNER = `managed-${process.pid}-${Date.now()}`;
const MANAGER: readonly Scope[] = ['read', 'write', 'predict', 'keys'];

let store: Store;
let manager: string;
beforeAll(async () => {
  store = await Store.open(databaseUrl());
  manager = await makeManager();
});
afterAll(() => store.close());

function databaseUrl(): string {
  return `${inject('target').databaseUrl}`;
}

function makeManager(options: Partial<Parameters<typeof makeKey>[1]> = {}): Promise<string> {
  return makeKey(databaseUrl(), { name: 'manager', owner: OWNER, scopes: MANAGER, ...options });
}

/** Sends a request with a key, and a body of JSON if there is one. */
function ask(key: string, method: string, path: string, body?: unknown, idempotencyKey?: string) {
  const headers = {
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
    ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
  };
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
  return sendAs(key, path, init);
}

function create(by: string, asked: object = {}, idempotencyKey?: string): Promise<Response> {
  const key = { name: 'made', scopes: ['read'], ...asked };
  return ask(by, 'POST', '/keys', { key }, idempotencyKey);
}

/** Makes a key, and returns its secret. */
async function made(by: string, asked?: object): Promise<string> {
  const answer = await create(by, asked);
  expect(answer.status).toBe(201);
  return String((await readObject(answer))['secret']);
}

const idOf = (key: string) => key.split('_')[1] ?? '';
const statusOf = async (key: string) => (await sendAs(key, '/me')).status;

/** Returns the status once the instances no longer remember the key. */
const lastStatusOf = (key: string) => expect.poll(() => statusOf(key), { interval: 100 });

async function refusal(answer: Response | Promise<Response>): Promise<unknown> {
  const { status, type, detail } = await readObject(await answer);
  return { status, type, detail };
}

const forbidden = (detail: string) => ({
  status: 403,
  type: '/problems/missing-scope',
  detail: expect.stringContaining(detail),
});

test('a key that was made works, and has the owner, the scopes and the limits that it was given', async () => {
  const key = await made(manager, { scopes: ['predict', 'read'], limits: { requests: 60 } });
  expect(await readObject(await sendAs(key, '/me'))).toMatchObject({
    owner: OWNER,
    scopes: ['read', 'predict'],
    limits: { quotas: [{ name: 'requests', limit: 60 }] },
  });
  const shown = await readObject(await ask(manager, 'GET', `/keys/${idOf(key)}`));
  expect(shown).toMatchObject({ made_by: idOf(manager), limits: { requests: 60 } });
});

test.each([['write'], ['keys'], ['operate']])('a key does not give the scope %s, which it lacks', async (scope) => {
  const weak = await makeManager({ scopes: scope === 'keys' ? ['read'] : ['read', 'keys'] });
  expect(await refusal(create(weak, { scopes: ['read', scope] }))).toEqual(forbidden(`'${scope}'`));
});

test('a key neither sees, reads nor revokes the keys of another owner, nor says whose its own are', async () => {
  const stranger = await makeManager({ owner: `${OWNER}-other` });
  const list = await (await ask(manager, 'GET', '/keys')).text();
  expect(list).toContain(idOf(manager));
  expect(list).not.toContain(idOf(stranger));
  for (const method of ['GET', 'DELETE']) {
    const hidden = await refusal(ask(manager, method, `/keys/${idOf(stranger)}`));
    expect(hidden).toMatchObject({ status: 404, type: '/problems/key-not-found' });
  }
  expect(await statusOf(stranger)).toBe(200);
  expect((await create(manager, { owner: `${OWNER}-other` })).status).toBe(400);
});

test('a key for one project makes and manages keys for only that project', async () => {
  for (const name of ['own', 'other']) {
    await ask(manager, 'POST', '/projects', { project: { name } });
  }
  const bound = await makeManager({ project: 'own' });
  const inherited = await made(bound);
  expect(await readObject(await sendAs(inherited, '/me'))).toMatchObject({ project: 'own' });
  expect(await refusal(create(bound, { project: 'other' }))).toMatchObject({ status: 404 });
  const list = await (await ask(bound, 'GET', '/keys')).text();
  expect(list).toContain(idOf(inherited));
  expect(list).not.toContain(idOf(manager));
  expect((await ask(bound, 'DELETE', `/keys/${idOf(manager)}`)).status).toBe(404);
});

test('a key with limits makes none, and one that makes keys has no limits', async () => {
  const limited = await makeManager({ limits: { requests: 1000 } });
  expect(await refusal(create(limited))).toEqual(forbidden('several could use more than its own'));
  const answer = await readObject(await create(manager, { scopes: ['read', 'keys'], limits: { rows: 5 } }));
  expect(answer['errors']).toMatchObject([{ pointer: '/body/key/limits' }]);
});

test('a key that ends makes none that ends later', async () => {
  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const later = new Date(Date.now() + 7_200_000).toISOString();
  const ending = await made(manager, { scopes: ['read', 'keys'], expires_at: soon });
  expect(await refusal(create(ending, { expires_at: later }))).toEqual(forbidden(soon));
  const inherited = await readObject(await create(ending));
  expect(inherited['expires_at']).toBe(soon);
});

test('a key is revoked with those that it made, and theirs, unless they are kept', async () => {
  const first = await made(manager, { scopes: ['read', 'keys'] });
  const second = await made(first, { scopes: ['read', 'keys'] });
  const third = await made(second);
  const beside = await made(manager);
  expect(await statusOf(third)).toBe(200);
  expect((await ask(manager, 'DELETE', `/keys/${idOf(second)}?keep_made=true`)).status).toBe(204);
  await lastStatusOf(second).toBe(401);
  expect(await statusOf(third)).toBe(200);
  expect((await readObject(await ask(manager, 'GET', `/keys/${idOf(third)}`)))['made_by']).toBe(idOf(first));
  expect((await ask(manager, 'DELETE', `/keys/${idOf(first)}`)).status).toBe(204);
  await lastStatusOf(third).toBe(401);
  expect(await statusOf(beside)).toBe(200);
  expect((await ask(manager, 'DELETE', `/keys/${idOf(first)}`)).status).toBe(404);
});

test('a key does not revoke one that can do more', async () => {
  const weak = await made(manager, { scopes: ['read', 'keys'] });
  const refused = ask(weak, 'DELETE', `/keys/${idOf(manager)}`);
  expect(await refusal(refused)).toEqual(forbidden("'write'"));
  expect(await statusOf(manager)).toBe(200);
});

test('a revoked key makes no more, and the last key of an owner that revokes itself opens nothing', async () => {
  const last = await makeManager({ owner: `${OWNER}-last` });
  expect((await ask(last, 'DELETE', `/keys/${idOf(last)}`)).status).toBe(204);
  await lastStatusOf(last).toBe(401);
  expect((await create(last)).status).toBe(401);
  expect((await sendAs(null, '/me')).status).toBe(401);
});

test('a repetition gets the same key with another secret, until it is used, and the store has neither', async () => {
  const repeated = randomUUID();
  const first = await readObject(await create(manager, {}, repeated));
  const answer = await create(manager, {}, repeated);
  expect(answer.headers.get('Idempotent-Replayed')).toBe('true');
  expect(answer.status).toBe(201);
  const second = await readObject(answer);
  expect(second).toEqual({ ...first, secret: expect.any(String) });
  expect(second['secret']).not.toBe(first['secret']);
  expect(await statusOf(String(first['secret']))).toBe(401);
  expect(await statusOf(String(second['secret']))).toBe(200);
  const id = String(first['id']);
  const use = async () => (await readObject(await ask(manager, 'GET', `/keys/${id}`)))['last_used_at'];
  await expect.poll(use).not.toBeNull();
  expect(await refusal(create(manager, {}, repeated))).toEqual({
    status: 422,
    type: '/problems/idempotency-key-reused',
    detail: expect.stringContaining(id),
  });
  const kept = await store.work
    .selectFrom('kept_answers')
    .select(['body', 'headers', 'fingerprint'])
    .where('owner', '=', OWNER)
    .execute();
  const rows = await store.work.selectFrom('api_keys').selectAll().execute();
  const everything = JSON.stringify([kept, rows]);
  expect(everything).toContain(id);
  for (const { secret } of [first, second].map(asRecord)) {
    expect(everything).not.toContain(String(secret).split('_')[2]);
  }
});

test('a key that was just revoked neither repeats a creation nor revokes others, even if what it made stays', async () => {
  const revoked = await made(manager, { scopes: ['read', 'keys'] });
  const repeated = randomUUID();
  const kept = String((await readObject(await create(revoked, {}, repeated)))['id']);
  expect((await ask(revoked, 'DELETE', `/keys/${idOf(revoked)}?keep_made=true`)).status).toBe(204);
  // For a second, instances remember it.
  expect((await create(revoked, {}, repeated)).status).toBe(401);
  expect((await ask(revoked, 'DELETE', `/keys/${kept}`)).status).toBe(401);
  expect((await ask(manager, 'GET', `/keys/${kept}`)).status).toBe(200);
});

test('a repetition by another key of the owner gets no secret', async () => {
  const repeated = randomUUID();
  expect((await create(manager, {}, repeated)).status).toBe(201);
  const other = await makeManager();
  expect(await refusal(create(other, {}, repeated))).toMatchObject({ status: 422 });
});

test('an owner has at most a thousand keys', async () => {
  const owner = `${OWNER}-full`;
  const full = await makeManager({ owner });
  await store.transaction(async ({ work }) => {
    const row = await work.selectFrom('api_keys').selectAll().where('id', '=', idOf(full)).executeTakeFirstOrThrow();
    const rows = Array.from({ length: 999 }, () => ({ ...row, id: randomUUID().replaceAll('-', '').slice(0, 16) }));
    for (let at = 0; at < rows.length; at += 100) {
      await work
        .insertInto('api_keys')
        .values(rows.slice(at, at + 100))
        .execute();
    }
  });
  expect(await refusal(create(full))).toMatchObject({ status: 409, type: '/problems/limit-reached' });
});
