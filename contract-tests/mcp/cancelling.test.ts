/** A call that a host cancels stops: its answer, the request to the chat server, and the tokens of that. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChatReply, chunk, says, stream } from '../../testkit/chat/reply.js';
import type { ReceivedRequest } from '../../testkit/chat/scripted-chat-server.js';
import { AgentService } from '../agents/agent-service.js';
import { McpHost } from './mcp-host.js';

const SILENT: ChatReply = { ...stream(chunk({ content: 'Let me' })), end: 'silence' };
const CANCELLED = { status: 202, body: {} };

let service: AgentService;
let older: McpHost;
let stateless: McpHost;
beforeAll(async () => {
  service = await AgentService.open();
  older = new McpHost(service, '2025-11-25');
  stateless = new McpHost(service, '2026-07-28');
  await service.create('agent', { name: 'analyst', skills: [] });
});
afterAll(() => service.close());

type Options = Parameters<McpHost['call']>[2];

/** Asks the agent, and waits until the chat server is asked. */
async function ask(host: McpHost, options?: Options) {
  const before = service.chat.requests.length;
  const answer = host.call('ask_analyst', { question: 'How much?' }, options);
  // A test may end it before it waits for it.
  answer.catch(() => {});
  await expect.poll(() => service.chat.requests.length).toBe(before + 1);
  const { outcome } = service.chat.requests.at(-1) as ReceivedRequest;
  return { id: host.lastId, answer, outcome };
}

describe('a call of a host that begins with initialize', () => {
  test.each(['2025-11-25', '2025-06-18'] as const)('stops when it is cancelled, by revision %s', async (revision) => {
    service.chat.play([SILENT]);
    const host = new McpHost(service, revision);
    const headers = await host.begin();
    expect(headers['Mcp-Session-Id']).toMatch(/^[\x21-\x7e]+$/);
    const { id, answer, outcome } = await ask(host, { headers });
    expect(await host.cancel(id, { headers })).toEqual(CANCELLED);
    expect(await answer).toEqual(CANCELLED);
    expect(await outcome).toBe('aborted by the client');
    // Twice, and after its end.
    expect(await host.cancel(id, { headers })).toEqual(CANCELLED);
  });

  test('stops without a session, too, and at the address of the project', async () => {
    const path = '/mcp/default';
    for (const headers of [{}, await older.begin({ path })]) {
      service.chat.play([SILENT]);
      const { id, answer } = await ask(older, { headers });
      expect(await older.cancel(id, { path, headers })).toEqual(CANCELLED);
      expect(await answer).toEqual(CANCELLED);
    }
  });

  test('goes on when something else is cancelled', async () => {
    const [headers, others] = [await older.begin(), await older.begin()];
    const key = await service.createKey({ scopes: ['ask'] });
    let release = (_: ChatReply) => {};
    service.chat.play(() => new Promise<ChatReply>((resolve) => (release = resolve)));
    const { id, answer } = await ask(older, { headers });
    expect(await older.cancel(`${id}`, { headers })).toEqual(CANCELLED);
    expect(await older.cancel(id + 1, { headers })).toEqual(CANCELLED);
    expect(await older.cancel(id, { headers: others })).toEqual(CANCELLED);
    expect(await older.cancel(id)).toEqual(CANCELLED);
    expect(await older.cancel(id, { headers, key })).toEqual(CANCELLED);
    expect((await stateless.cancel(id, { headers })).status).toBe(202);
    release(says('Much.'));
    expect((await answer).body.result?.structuredContent).toEqual({ answer: 'Much.' });
  });

  test('is not cancelled by what came before it', async () => {
    service.chat.play([says('Much.')]);
    const headers = await older.begin();
    expect(await older.cancel(older.lastId + 1, { headers })).toEqual(CANCELLED);
    const { body } = await older.call('ask_analyst', { question: 'How much?' }, { headers });
    expect(body.result?.structuredContent).toEqual({ answer: 'Much.' });
  });

  test.each([undefined, null, 1.5, {}, true])('is not named by %j, which is an error of the protocol', async (id) => {
    const { status, body } = await older.cancel(id);
    expect([status, body.error?.code]).toEqual([400, -32602]);
    expect(body.error?.message).toContain('"requestId"');
  });
});

test.each([() => older, () => stateless])('a call stops when its connection is closed: %#', async (hostOf) => {
  service.chat.play([SILENT]);
  const leaving = new AbortController();
  const { answer, outcome } = await ask(hostOf(), { signal: leaving.signal });
  leaving.abort();
  await expect(answer).rejects.toThrow();
  expect(await outcome).toBe('aborted by the client');
});
