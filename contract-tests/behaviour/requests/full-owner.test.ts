/** Tests of an owner whose storage is full, and of one whose kept answers have reached their limit. */
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { type OwnStore, ownStore } from '../../../testkit/store/own-store.js';
import { checkedFetch } from '../../checked-fetch.js';
import { kinds } from '../resources/resource-kinds.js';

let store: OwnStore;
let server: ServerProcess;
beforeAll(async () => {
  store = await ownStore(inject('target').databaseUrl);
  server = await startServer({ env: { DATABASE_URL: store.databaseUrl, MAX_STORED: '4096', MAX_KEPT_ANSWERS: '100' } });
  // One of each kind, as large as there is space for.
  for (const { kind, list, required } of kinds) {
    const created = await sendJson('POST', `/projects/default/${list}`, { [kind]: { ...required, name: 'small' } });
    expect(created.status).toBe(201);
  }
  const params = { text: 'x'.repeat(3948) };
  const skill = { name: 'large', type: 'lookup', params };
  expect((await sendJson('POST', '/projects/default/skills', { skill })).status).toBe(201);
});
afterAll(async () => {
  await server.kill();
  await store.remove();
});

function send(path: string, init: RequestInit = {}): Promise<Response> {
  return checkedFetch(new Request(server.url + path, init));
}

function sendJson(method: string, path: string, body: unknown, headers = {}): Promise<Response> {
  return send(path, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function expectRefusal(response: Response, ...words: string[]): Promise<void> {
  expect(response.status).toBe(409);
  const problem: unknown = await response.json();
  expect(problem).toMatchObject({ type: '/problems/limit-reached' });
  for (const word of words) expect(problem).toHaveProperty('detail', expect.stringContaining(word));
}

describe.each(kinds)('a $kind of a full owner', ({ kind, list, required, open }) => {
  const large = { [open]: { text: 'x'.repeat(200) } };

  test('is not created, in any project', async () => {
    const [at, name] = [`/projects/other_${kind}`, `other_${kind}`];
    expect((await sendJson('POST', '/projects', { project: { name } })).status).toBe(201);
    const fields = { ...required, ...large, name: 'new' };
    const refused = await sendJson('POST', `${at}/${list}`, { [kind]: fields });
    await expectRefusal(refused, 'may hold 4,096 bytes');
    expect((await send(`${at}/${list}/new`)).status).toBe(404);
  });

  test('can become smaller, but not larger', async () => {
    const address = `/projects/default/${list}/small`;
    await expectRefusal(await sendJson('PUT', address, { [kind]: large }), 'may hold 4,096 bytes');
    expect((await sendJson('PUT', address, { [kind]: { [open]: {} } })).status).toBe(200);
  });
});

test('a table of a full owner is refused, and nothing of it is stored', async () => {
  const rows = Array.from({ length: 60 }, (_, row) => ({ x: row, y: row * 2 }));
  const address = '/api/projects/default/models/m';
  const train = () => sendJson('PUT', `${address}?target=y`, rows);
  await expectRefusal(await train(), 'models and training tables');
  expect((await send(address)).status).toBe(404);

  expect((await send('/projects/default/skills/large', { method: 'DELETE' })).status).toBe(204);
  expect((await train()).status).toBe(202);
  // A trained model would fill the storage again, while the next tests create.
  expect((await send(address, { method: 'DELETE' })).status).toBe(204);
});

describe('when the limit of kept answers is reached', () => {
  const once = { 'Idempotency-Key': 'k1' };

  test.each(kinds)('a $kind is created only without an Idempotency-Key', async (of) => {
    const { kind, list, required } = of;
    const at = `/projects/default/${list}`;
    const body = { [kind]: { ...required, name: 'once' } };
    await expectRefusal(await sendJson('POST', at, body, once), 'may hold 100 bytes', '24 hours');
    expect((await send(`${at}/once`)).status).toBe(404);
    expect((await sendJson('POST', at, body)).status).toBe(201);
  });

  test('a project is created only without an Idempotency-Key', async () => {
    const body = { project: { name: 'once' } };
    await expectRefusal(await sendJson('POST', '/projects', body, once), 'may hold 100 bytes');
    expect((await send('/projects/once')).status).toBe(404);
    expect((await sendJson('POST', '/projects', body)).status).toBe(201);
  });
});
