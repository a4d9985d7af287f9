/** Tests how the stateful mock starts: with the contract's examples, with a key, and not on a port in use. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asArray } from '../contract/json-record.js';
import { readText } from '../testkit/json.js';
import type { Child } from '../testkit/service/child-process.js';
import { startStatefulMock } from './targets/start-mock.js';

let mock: Child & { url: string };
beforeAll(async () => {
  mock = await startStatefulMock();
});
afterAll(() => mock.stop('SIGKILL'));

const send = (path: string, method = 'GET') => fetch(mock.url + path, { method });
const listAt = async (path: string) => asArray(await (await send(path)).json());

describe('the stateful mock', () => {
  test('begins with the examples again after a restart', async () => {
    expect((await send('/projects/default/skills/care_instructions', 'DELETE')).status).toBe(204);
    await mock.stop('SIGINT');
    mock = await startStatefulMock();
    expect(await listAt('/projects')).toMatchObject([{ name: 'default' }, { name: 'jewellery' }]);
    expect(await listAt('/projects/default/skills')).toHaveLength(2);
    expect(await listAt('/projects/default/skills/care_instructions/documents')).toHaveLength(1);
    expect(await listAt('/projects/default/chatbots/help_desk/conversations')).toMatchObject([
      { title: 'Cleaning', messages: 0 },
    ]);
  });

  test('goes on after a request has deleted the key that it adds to all requests', async () => {
    const findOwn = async () => (await listAt('/keys')).find((key) => readText(key, 'name') === 'mock');
    const id = readText(await findOwn(), 'id');
    expect((await send(`/keys/${id}`, 'DELETE')).status).toBe(204);
    expect(await listAt('/projects')).toHaveLength(2);
    expect(readText(await findOwn(), 'id')).not.toBe(id);
  });

  test('fails to start on a port in use, with a line that says what to do', async () => {
    const { port } = new URL(mock.url);
    await expect(startStatefulMock({ PORT: port })).rejects.toThrow(
      /The mock did not start: .* address already in use; .* choose another PORT/,
    );
  });
});
