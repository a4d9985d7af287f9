import { setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, vi } from 'vitest';
import { ask, QUESTION, scripted, streamed } from '../../../testkit/chat/ask.js';
import { type ChatReply, callChunk, calls, chunk, DONE, endless, says, stream } from '../../../testkit/chat/reply.js';
import { stopClock } from '../../../testkit/stopped-clock.js';
import { ChatClient } from './chat-client.js';
import type { ChatLimits } from './messages.js';

const KIBIBYTE = 1024;
const TEXT = 'x'.repeat(16 * KIBIBYTE);
const NEVER = new AbortController().signal;

describe('a chat client stops', () => {
  type Excess = readonly [reply: ChatReply, limits: Partial<ChatLimits>, message: RegExp];

  const excesses: Record<string, Excess> = {
    'when there are no headers': [
      { end: 'no headers' },
      { firstByteMs: 50 },
      /^The chat server sent nothing for 0\.05 s\. It may still be loading the model/,
    ],
    'when there is no first byte': [{ end: 'silence' }, { firstByteMs: 50 }, /sent nothing for 0\.05 s/],
    'when the server falls silent': [
      { ...stream(chunk({ content: '4,0' })), end: 'silence' },
      { silenceMs: 50 },
      /sent nothing for 0\.05 s\. It may be overloaded/,
    ],
    'an endless text': [endless(chunk({ content: TEXT })), { maxBytes: 64 * KIBIBYTE }, /longer than 65536 bytes/],
    'endless reasoning': [
      endless(chunk({ reasoning_content: TEXT })),
      { maxBytes: 64 * KIBIBYTE },
      /longer than 65536 bytes/,
    ],
    'endless reasoning in tags': [
      endless(chunk({ content: `<think>${TEXT}` })),
      { maxBytes: 64 * KIBIBYTE },
      /longer than 65536 bytes/,
    ],
    'endless arguments': [
      endless(callChunk({ index: 0, id: 'a', function: { name: 'sum', arguments: TEXT } })),
      { maxBytes: 64 * KIBIBYTE },
      /longer than 65536 bytes/,
    ],
    'an event without an end': [endless(`data: ${TEXT}`), { maxBytes: 64 * KIBIBYTE }, /longer than 131072 characters/],
    'a document without an end': [
      endless(`{"choices":"${TEXT}`),
      { maxBytes: 64 * KIBIBYTE },
      /longer than 131072 characters/,
    ],
    'a page without an end': [endless('<p>'), {}, /a web page/],
    'a refusal without an end': [{ ...endless(TEXT), status: 400 }, {}, /refused the request \(400\)/],
    'a refusal that falls silent': [{ status: 500, body: ['{"err'], end: 'silence' }, { endMs: 50 }, /failed \(500\)/],
    'endless tool calls': [
      endless(callChunk({ function: { name: 'sum', arguments: '{}' } })),
      {},
      /more than 64 tools at once/,
    ],
  };
  for (const [name, [reply, limits, message]] of Object.entries(excesses)) {
    it(name, async () => {
      const server = await scripted([reply]);
      const client = new ChatClient({ url: server.url, limits });
      await expect(streamed(client)).rejects.toThrow(message);
      const outcomes = await Promise.all(server.requests.map(({ outcome }) => outcome));
      expect(outcomes).not.toContain('sent');
    });
  }

  it('arguments that are nested too deeply', async () => {
    const nested = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const call = `{"function":{"name":"sum","arguments":${nested}}}`;
    const reply = stream(`data: {"choices":[{"delta":{"tool_calls":[${call}]}}]}\n\n`, DONE);
    await expect(ask(reply)).rejects.toThrow(/nested too deeply/);
  });

  it('ten megabytes of arguments with its default limits, without reading all of them', async () => {
    let sent = 0;
    function* body() {
      for (; sent < 10 * KIBIBYTE * KIBIBYTE; sent += TEXT.length) {
        yield callChunk({ index: 0, id: 'a', function: { name: 'sum', arguments: TEXT } });
      }
      yield DONE;
    }
    const server = await scripted([{ body: body() }]);
    const client = new ChatClient({ url: server.url });
    await expect(streamed(client)).rejects.toMatchObject({
      errorType: 'general',
      message: expect.stringMatching(/longer than 2097152 bytes/),
    });
    expect(await server.requests[0]?.outcome).toBe('aborted by the client');
    expect(sent).toBeLessThan(10 * KIBIBYTE * KIBIBYTE);
  });
});

describe('a chat client takes', () => {
  it('a complete answer from a server that neither ends it nor closes the connection', async () => {
    const reply: ChatReply = { ...stream(chunk({ content: '4,000' }), chunk({}, 'stop')), end: 'silence' };
    const server = await scripted([reply]);
    const client = new ChatClient({ url: server.url, limits: { endMs: 50 } });
    expect((await streamed(client)).answer.text).toBe('4,000');
    expect(await server.requests[0]?.outcome).toBe('aborted by the client');
  });

  it('a complete answer whose connection breaks', async () => {
    const { answer } = await ask({
      ...stream(chunk({ content: '4,000' }), chunk({}, 'stop'), 'data: {"usage":{"pro'),
      end: 'cut',
    });
    expect(answer).toMatchObject({ text: '4,000', usage: null });
  });

  it('a complete answer at once, and closes the connection where more follows', async () => {
    const server = await scripted([{ ...stream(chunk({ content: '4,000' }), DONE), end: 'silence' }]);
    const client = new ChatClient({ url: server.url, limits: { endMs: 50 } });
    expect((await streamed(client)).answer.text).toBe('4,000');
    expect(await server.requests[0]?.outcome).toBe('aborted by the client');
  });

  it('as many tool calls as the limit allows', async () => {
    const call = { name: 'sum', arguments: {} };
    const { answer } = await ask(calls(call, call), { limits: { maxToolCalls: 2 } });
    expect(answer.toolCalls).toHaveLength(2);
  });

  it('no more from the server than its caller takes, who may pause', async () => {
    let sent = 0;
    function* body() {
      for (;;) {
        sent += TEXT.length;
        yield chunk({ content: TEXT });
      }
    }
    stopClock();
    const server = await scripted([{ body: body() }]);
    const limits = { silenceMs: 1000, maxBytes: KIBIBYTE * KIBIBYTE * KIBIBYTE };
    const answer = new ChatClient({ url: server.url, limits }).stream(QUESTION, NEVER);
    await answer.next();
    let before = -1;
    while (sent > before) {
      before = sent;
      await wait(100);
    }
    vi.advanceTimersByTime(2 * limits.silenceMs);
    expect((await answer.next()).done).toBe(false);
    await answer.return({ text: '', toolCalls: [], usage: null, finishReason: null });
    expect(await server.requests[0]?.outcome).toBe('aborted by the client');
  });
});

describe('a chat client whose caller has gone', () => {
  const GONE = new Error('The caller has gone.');

  it('sends nothing', async () => {
    const server = await scripted([says('Hello')]);
    const client = new ChatClient({ url: server.url });
    await expect(streamed(client, QUESTION, AbortSignal.abort(GONE))).rejects.toBe(GONE);
    expect(server.requests).toHaveLength(0);
  });

  const replies: Record<string, ChatReply> = {
    'before the headers': { end: 'no headers' },
    'before the first byte': { end: 'silence' },
    'within the answer': { ...stream(chunk({ role: 'assistant' })), end: 'silence' },
    'within a refusal': { status: 500, body: ['{"err'], end: 'silence' },
    'within the end of the answer': { ...stream(chunk({}, 'stop')), end: 'silence' },
  };
  for (const [name, reply] of Object.entries(replies)) {
    it(`cancels the request ${name}, also after a collection of garbage`, async () => {
      const server = await scripted([reply]);
      const caller = new AbortController();
      const client = new ChatClient({ url: server.url });
      const answer = expect(streamed(client, QUESTION, caller.signal)).rejects.toBe(GONE);
      await expect.poll(() => server.requests.length, { interval: 5 }).toBe(1);
      await wait(20);
      collectGarbage();
      caller.abort(GONE);
      await answer;
      expect(await server.requests[0]?.outcome).toBe('aborted by the client');
    });
  }

  it('yields no more of what it has', async () => {
    const caller = new AbortController();
    const { url } = await scripted([{ ...stream(chunk({ content: '4,0' })), end: 'silence' }]);
    const answer = new ChatClient({ url }).stream(QUESTION, caller.signal);
    await answer.next();
    caller.abort(GONE);
    await expect(answer.next()).rejects.toBe(GONE);
  });
});

/** Runs the collector, which drops what only weak references hold. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
