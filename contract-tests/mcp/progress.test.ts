/** A host that sends a token learns how a question goes, so that it goes on waiting. */

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ReportingWork } from '../../server/mcp/progress.js';
import { type ChatReply, calls, chunk, says, stream } from '../../testkit/chat/reply.js';
import type { AgentService } from '../agents/agent-service.js';
import { type McpHost, openWithHosts } from './mcp-host.js';

const SILENT: ChatReply = { ...stream(chunk({ content: 'Let me' })), end: 'silence' };
const QUESTION = { question: 'How much?' };

let service: AgentService;
let host: McpHost;
let older: McpHost;
beforeAll(async () => {
  ({ service, host, older } = await openWithHosts());
  await service.create('skill', { name: 'prices', type: 'model', params: { model: 'prices' } });
  await service.create('agent', { name: 'analyst', skills: ['prices'] });
});
afterAll(() => service.close());

const progress = (progressToken: string | number, number: number, message: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/progress',
  params: { progressToken, progress: number, message },
});

describe('a question with a token', () => {
  test.each([
    [() => host, 7],
    [() => older, 'a token'],
  ] as const)('is answered after what the agent does: %#', async (hostOf, token) => {
    service.chat.play([calls({ name: 'prices', arguments: { carat: 0.7 } }), says('About 2,742 dollars.')]);
    const { status, body, notifications = [] } = await hostOf().listen('ask_analyst', QUESTION, token);
    expect(status).toBe(200);
    expect(body.result?.structuredContent).toEqual({ answer: 'About 2,742 dollars.' });
    expect(body.id).toBe(hostOf().lastId);
    expect(notifications[0]).toEqual(progress(token, 1, 'The agent "analyst" begins.'));
    // A report that comes before the last was sent takes its place.
    expect(notifications.at(-1)?.params?.message).toMatch(/^The agent (uses prices|writes its answer)\.$/);
    const numbers = notifications.map((event) => event.params?.progress);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  });

  test('is answered in a stream at the address of the project, and through call_tool', async () => {
    service.chat.play([says('Much.'), says('Much.')]);
    const direct = await host.listen('ask_analyst', QUESTION, 1, { path: '/mcp/default' });
    const input = { name: 'ask_analyst', arguments: QUESTION };
    const found = await host.listen('call_tool', input, 1);
    for (const { body, notifications } of [direct, found]) {
      expect(notifications?.[0]).toEqual(progress(1, 1, 'The agent "analyst" begins.'));
      expect(body.result?.structuredContent).toEqual({ answer: 'Much.' });
    }
  });

  test('stops when it is cancelled, without an answer', async () => {
    service.chat.play([SILENT]);
    const headers = await older.begin();
    const before = service.chat.requests.length;
    const listening = older.listen('ask_analyst', QUESTION, 1, { headers });
    await expect.poll(() => service.chat.requests.length).toBe(before + 1);
    await older.cancel(older.lastId, { headers });
    const { body, notifications } = await listening;
    expect(body).toEqual({});
    expect(notifications?.[0]).toEqual(progress(1, 1, 'The agent "analyst" begins.'));
    expect(await service.chat.requests.at(-1)?.outcome).toBe('aborted by the client');
  });

  test('stops when its connection is closed', async () => {
    service.chat.play([SILENT]);
    const before = service.chat.requests.length;
    const leaving = new AbortController();
    const listening = host.listen('ask_analyst', QUESTION, 1, { signal: leaving.signal });
    listening.catch(() => {});
    await expect.poll(() => service.chat.requests.length).toBe(before + 1);
    leaving.abort();
    await expect(listening).rejects.toThrow();
    expect(await service.chat.requests.at(-1)?.outcome).toBe('aborted by the client');
  });

  test('that fails has the reason as its result', async () => {
    service.chat.play([{ status: 500 }, { status: 500 }, { status: 500 }]);
    const { body, notifications } = await host.listen('ask_analyst', QUESTION, 1);
    expect(notifications).toHaveLength(1);
    expect(body.result?.isError).toBe(true);
  });
});

describe('an answer is one message', () => {
  test('where nothing takes long, or the host takes no stream', async () => {
    const predicted = await host.listen('predict_prices', { carat: 0.7 }, 1);
    expect([predicted.status, predicted.notifications]).toEqual([200, undefined]);
    service.chat.play([says('Much.')]);
    const asked = await host.listen('ask_analyst', QUESTION, 1, { headers: { Accept: 'application/json' } });
    expect([asked.status, asked.notifications]).toEqual([200, undefined]);
    expect(asked.body.result?.structuredContent).toEqual({ answer: 'Much.' });
  });

  test('where nobody is asked, with its status', async () => {
    const key = await service.createKey({ scopes: ['predict'] });
    expect((await host.listen('ask_analyst', QUESTION, 1, { key })).status).toBe(403);
    const unknown = await host.listen('ask_nobody', QUESTION, 1);
    expect([unknown.status, unknown.notifications, unknown.body.result?.isError]).toEqual([200, undefined, true]);
  });

  test.each([1.5, 'x'.repeat(201), {}, true])('for the token %j, an error', async (token) => {
    const { body } = await host.listen('ask_analyst', QUESTION, token);
    expect(body.error).toMatchObject({ code: -32602, message: expect.stringContaining('progressToken') });
  });

  test('in JSON alone: a host that takes no JSON is refused', async () => {
    expect((await host.ask('tools/list', {}, { headers: { Accept: 'text/event-stream' } })).status).toBe(406);
  });
});

test('work that is silent is reported every ten seconds, and a failure ends its stream', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
  try {
    let fail = (_: Error) => {};
    const work = new ReportingWork<never>((report) => {
      report('It begins.');
      return new Promise((_, reject) => {
        fail = reject;
      });
    });
    expect(await work.begin()).toBeUndefined();
    const error = { code: -32603, message: 'broken' };
    const events = work.events('a', (ended) => {
      expect(ended).toEqual({ status: 'rejected', reason: new Error('broken') });
      return { jsonrpc: '2.0', id: 1, error };
    });
    expect((await events.next()).value).toEqual(progress('a', 1, 'It begins.'));
    for (const beat of [1, 2]) {
      const next = events.next();
      await vi.advanceTimersByTimeAsync(10_000);
      expect((await next).value).toEqual(progress('a', beat + 1, `Still at work, after ${beat * 10} s.`));
    }
    fail(new Error('broken'));
    expect((await events.next()).value).toEqual({ jsonrpc: '2.0', id: 1, error });
    expect((await events.next()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
