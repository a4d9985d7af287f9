/** A proxy sends the message that cancels a call to any instance. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { Store } from '../../server/store/index.js';
import { type ChatReply, chunk, stream } from '../../testkit/chat/reply.js';
import { openScriptedChatServer, type ScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { type PostgresDatabase, startPostgres } from '../../testkit/store/postgres-database.js';
import { type Instance, startTwo } from './instance.js';

const SILENT: ChatReply = { ...stream(chunk({ content: 'Let me' })), end: 'silence' };

let database: PostgresDatabase;
let chat: ScriptedChatServer;
let instances: [Instance, Instance];
beforeAll(async () => {
  database = await startPostgres();
  chat = await openScriptedChatServer([SILENT]);
  instances = await startTwo({ env: { DATABASE_URL: database.url, CHAT_URL: chat.url, CHAT_MODEL: 'scripted' } });
  const [{ roster }] = instances;
  const path = { project_name: 'default' };
  await roster.POST('/projects/{project_name}/agents', {
    params: { path },
    body: { agent: { name: 'analyst', skills: [] } },
  });
});
afterAll(async () => {
  await Promise.all(instances.map((instance) => instance.kill()));
  await chat.close();
  await database.remove();
});

function send({ url }: Instance, message: object): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': 'one' },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

async function countNotes(): Promise<number> {
  const store = await Store.open(database.url);
  try {
    return (await store.work.selectFrom('running_calls').select('id').execute()).length;
  } finally {
    await store.close();
  }
}

test('a call stops on the instance that runs it, whichever is asked to cancel it', async () => {
  const [one, other] = instances;
  const params = { name: 'ask_analyst', arguments: { question: 'How much?' } };
  for (const [id, runner] of [one, other].entries()) {
    const answer = send(runner, { id, method: 'tools/call', params });
    await expect.poll(() => chat.requests.length).toBe(id + 1);
    const cancelled = { method: 'notifications/cancelled', params: { requestId: id } };
    // One of another id, and twice.
    await send(runner === one ? other : one, { ...cancelled, params: { requestId: 99 } });
    for (const round of [1, 2]) {
      expect([round, (await send(runner === one ? other : one, cancelled)).status]).toEqual([round, 202]);
    }
    expect((await answer).status).toBe(202);
    expect(await chat.requests[id]?.outcome).toBe('aborted by the client');
  }
  await expect.poll(countNotes).toBe(0);
});
