import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ChatReply, calls, chunk, endless, event, page, refuses, says, stream } from '../../testkit/chat/reply.js';
import { AgentService, CHAT_KEY } from './agent-service.js';

let service: AgentService;
let agent: string;
beforeAll(async () => {
  service = await AgentService.open();
  agent = await service.agent();
});
afterAll(() => service.close());

/** Failures of a chat server: each is reported to the caller with its kind. */
const FAILURES: readonly [string, ChatReply, string][] = [
  ['refuses the key', refuses(401), 'authentication'],
  ['does not have the model', refuses(404), 'not_found'],
  ['takes no more requests', refuses(429, undefined, { 'Retry-After': '20' }), 'rate_limit'],
  ['fails', refuses(500), 'general'],
  ['answers with the page of a proxy', page(502), 'general'],
  ['answers with a page although all is well', page(200), 'general'],
  ['breaks off within an event', { body: ['data: {"choices":[{"del'], end: 'cut' }, 'connection'],
  ['breaks off within the text', { ...stream(chunk({ content: 'Ab' })), end: 'cut' }, 'connection'],
  ['ends before its answer does', stream(chunk({ content: 'Ab' })), 'connection'],
  ['sends an error within the stream', stream(event({ error: { message: 'Out of memory' } })), 'general'],
  ['says nothing at all', says(), 'general'],
  ['sends 10 MB of arguments', calls({ name: 'x', arguments: { a: 'x'.repeat(10_000_000) } }), 'general'],
  ['never ends an event', endless('x'.repeat(100_000)), 'general'],
  ['answers with a status that HTTP does not have', { status: 600 }, 'general'],
  [
    'sends an error of odd fields',
    stream(event({ error: { code: { toString: 1 }, type: [null], message: { valueOf: 2 } } })),
    'general',
  ],
  ['sends nothing but empty events', endless('data:\n\n'.repeat(10_000)), 'general'],
];

describe('an answer fails with a problem that names what failed when the chat server', () => {
  test.each(FAILURES)('%s', async (_name, reply, type) => {
    service.chat.play([reply]);
    const response = await service.ask(agent, 'Hello?');
    expect(response.status).toBe(502);
    const problem = JSON.parse(await response.text());
    expect(problem).toMatchObject({ type: '/problems/chat-server-failed', error_type: type });
    expect(problem.detail).toMatch(/^The .*[."]$/);
    expect(JSON.stringify(problem)).not.toContain(CHAT_KEY);
  });
});

describe('a stream ends with an error and the end when the chat server', () => {
  test.each(FAILURES)('%s', async (_name, reply, type) => {
    service.chat.play([reply]);
    const events = await service.events(agent, 'Hello?');
    expect(events.slice(-2)).toMatchObject([
      { type: 'error', error_type: type, content: expect.stringMatching(/^The /) },
      { type: 'end' },
    ]);
  });
});

test('the request to the chat server ends when the caller goes', async () => {
  service.chat.play([{ ...stream(chunk({ content: 'Ab' })), end: 'silence' }]);
  const before = service.chat.requests.length;
  const gone = new AbortController();
  const asked = service.ask(agent, 'Hello?', { signal: gone.signal }).catch(() => undefined);
  await expect.poll(() => service.chat.requests.length).toBe(before + 1);
  await pause(50);
  gone.abort();
  await asked;
  expect(await service.chat.requests.at(-1)?.outcome).toBe('aborted by the client');
});

test('no prompt, answer or key is in the log', async () => {
  service.chat.play([says('The word is marzipan.')]);
  await service.answer(agent, 'Is it nougat?');
  service.chat.play([refuses(401, { message: 'bad key' })]);
  await service.ask(agent, 'Is it nougat?');
  const log = () => service.server.log.join('\n');
  // The service writes its log in blocks.
  await expect.poll(log).toContain('an agent answered');
  await expect.poll(log).toContain('an agent did not answer');
  expect(log()).not.toMatch(new RegExp(`nougat|marzipan|${CHAT_KEY}`));
});

test('answers at once are limited, and a stop of the service ends those in progress', async () => {
  const own = await AgentService.open({ MAX_ANSWERS: '4' });
  try {
    const silent: ChatReply = { ...stream(chunk({ content: 'Ab' })), end: 'silence' };
    own.chat.play([silent, silent]);
    const name = await own.agent();
    const events = own.events(name, 'Hello?');
    const answer = own.ask(name, 'Hello?');
    await expect.poll(() => own.chat.requests.length).toBe(2);
    // One owner gets two of four answers.
    const third = await own.ask(name, 'Hello?');
    expect(third.status).toBe(503);
    expect(await third.text()).toContain('as many answers of agents as it takes on at once');
    const stopped = own.server.stop();
    expect((await events).slice(-2)).toMatchObject([{ type: 'error' }, { type: 'end' }]);
    expect((await answer).status).toBe(503);
    expect(await (await answer).text()).toContain('The service is stopping');
    for (const { outcome } of own.chat.requests) {
      expect(await outcome).toBe('aborted by the client');
    }
    expect(await stopped).toBe(0);
  } finally {
    await own.close();
  }
});
