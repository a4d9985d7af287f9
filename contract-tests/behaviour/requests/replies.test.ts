/** Tests of replies that wait, repeat, break off and compete, with a scripted chat server. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { components } from 'roster-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { ConversingService } from '../../../testkit/chat/conversing-service.js';
import { endless, refuses, says } from '../../../testkit/chat/reply.js';
import { checkedFetch } from '../../checked-fetch.js';

type Schemas = components['schemas'];

let service: ConversingService;
beforeAll(async () => {
  const { databaseUrl } = inject('target');
  service = await ConversingService.open({ databaseUrl, fetch: checkedFetch });
});
afterAll(() => service.close());

/** Lets the chat server reply only once the returned function is called. */
function playLater(text: string): () => void {
  const opened = new AbortController();
  service.play(async () => {
    if (!opened.signal.aborted) await once(opened.signal, 'abort');
    return says(text);
  });
  return () => opened.abort();
}

async function untilAsked(): Promise<void> {
  await expect.poll(() => service.sent().length).toBeGreaterThan(0);
}

const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

async function expectProblem(response: Response, status: number, type: string): Promise<void> {
  expect(await response.json()).toMatchObject({ type: `/problems/${type}` });
  expect(response.status).toBe(status);
}

const contents = async (conversation: string) => (await service.messages(conversation)).map(({ content }) => content);

/** Returns the address of the reply to the first message. */
async function replyAddress(conversation: string): Promise<string> {
  const [first] = await service.messages(conversation);
  return `${conversation}/messages/${first?.id}/reply`;
}

describe('of messages sent at once', () => {
  test('one is answered and the others are refused, and not kept', async () => {
    const conversation = await service.conversation();
    const reply = playLater('Yes.');
    const answers = ['a', 'b', 'c', 'd'].map((content) => service.say(conversation, content));
    await untilAsked();
    const refused: Response[] = [];
    for (const answer of answers) void answer.then((response) => refused.push(response));
    await expect.poll(() => refused.length).toBe(3);
    for (const response of refused) {
      expect(response.headers.get('Retry-After')).toBe('1');
      await expectProblem(response, 409, 'conversation-busy');
    }
    reply();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409, 409]);
    const winner = 'abcd'[statuses.indexOf(200)];
    expect(await contents(conversation)).toEqual([winner, 'Yes.']);
  });

  test('those to other conversations of the chatbot are answered too', async () => {
    const chatbot = await service.chatbot();
    const both = [await service.conversation(chatbot), await service.conversation(chatbot)];
    const reply = playLater('Yes.');
    const answers = both.map((conversation) => service.talk(conversation, 'Hello?'));
    await expect.poll(() => service.sent().length).toBe(2);
    reply();
    await Promise.all(answers);
  });
});

describe('a message with an Idempotency-Key', () => {
  test('gets the reply of the first request again', async () => {
    const conversation = await service.conversation();
    service.play([says('One.')]);
    const first = await service.talk(conversation, 'Hello?', keyed('again'));
    expect(await service.talk(conversation, 'Hello?', keyed('again'))).toEqual(first);
    const again = await service.say(conversation, 'Hello?', keyed('again'));
    expect([again.headers.get('Idempotent-Replayed'), again.headers.get('Vary')]).toEqual(['true', 'Accept']);
    expect(service.sent()).toHaveLength(1);
    expect(await contents(conversation)).toEqual(['Hello?', 'One.']);
  });

  test('is answered when it is repeated after a failure, and kept once', async () => {
    const conversation = await service.conversation();
    service.play([refuses(500), says('One.')]);
    const failed = await service.say(conversation, 'Hello?', keyed('failed'));
    await expectProblem(failed, 502, 'chat-server-failed');
    const { question } = await service.talk(conversation, 'Hello?', keyed('failed'));
    expect((await service.messages(conversation)).map(({ id }) => id)).toContain(question.id);
    expect(await contents(conversation)).toEqual(['Hello?', 'One.']);
  });

  test('is refused while the first request is answered', async () => {
    const conversation = await service.conversation();
    const reply = playLater('One.');
    const first = service.talk(conversation, 'Hello?', keyed('early'));
    await untilAsked();
    const early = await service.say(conversation, 'Hello?', keyed('early'));
    await expectProblem(early, 409, 'request-in-progress');
    const again = await service.send('POST', await replyAddress(conversation));
    await expectProblem(again, 409, 'conversation-busy');
    const other = await service.say(conversation, 'Hello?', keyed('other'));
    await expectProblem(other, 409, 'conversation-busy');
    reply();
    const answer = await first;
    expect(await service.talk(conversation, 'Hello?', keyed('early'))).toEqual(answer);
  });

  test('is refused if another request has the key', async () => {
    const chatbot = await service.chatbot();
    const conversation = await service.conversation(chatbot, keyed('creation'));
    service.play([says('One.')]);
    await service.talk(conversation, 'Hello?', keyed('message'));
    const elsewhere = await service.conversation(chatbot);
    const answers = [
      await service.say(conversation, 'Goodbye?', keyed('message')),
      await service.say(elsewhere, 'Hello?', keyed('message')),
      await service.say(conversation, 'Hello?', keyed('creation')),
      await service.send('POST', `${chatbot}/conversations`, { conversation: {} }, keyed('message')),
    ];
    for (const answer of answers) await expectProblem(answer, 422, 'idempotency-key-reused');
    expect(await contents(conversation)).toEqual(['Hello?', 'One.']);
  });
});

describe('a reply that is broken off', () => {
  const stream = (conversation: string, signal: AbortSignal) =>
    fetch(`${service.server.url}${conversation}/messages`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
      body: JSON.stringify({ message: { content: 'Hello?' } }),
      signal,
    });

  /** Sets the end of the leases that are held. */
  async function setLeases(until: number): Promise<void> {
    const database = await service.store.connect();
    await database.run(`update conversations set answering_until = ${until} where answering_until is not null`);
    await database.close();
  }

  /** Asks for the reply to the first message until the conversation is free. */
  async function replyAgain(conversation: string): Promise<Schemas['Reply']> {
    const at = await replyAddress(conversation);
    for (;;) {
      const response = await service.send('POST', at);
      if (response.status === 200) return JSON.parse(await response.text());
      await expectProblem(response, 409, 'conversation-busy');
      await pause(20);
    }
  }

  test('by a caller who leaves can be asked for again', async () => {
    const conversation = await service.conversation();
    const leaving = new AbortController();
    service.play([endless(': ping\n\n')]);
    const response = await stream(conversation, leaving.signal);
    await untilAsked();
    leaving.abort();
    await expect(response.text()).rejects.toThrow();
    expect(await service.chat.requests.at(-1)?.outcome).toBe('aborted by the client');
    service.play([says('One.')]);
    expect((await replyAgain(conversation)).message.content).toBe('One.');
    expect(await contents(conversation)).toEqual(['Hello?', 'One.']);
  });

  test('by the end of its conversation is not kept, and says why', async () => {
    const conversation = await service.conversation();
    const reply = playLater('One.');
    const answer = service.say(conversation, 'Hello?');
    await untilAsked();
    await service.send('DELETE', conversation);
    reply();
    await expectProblem(await answer, 503, 'service-unavailable');
    expect((await service.send('GET', conversation)).status).toBe(404);
  });

  test('by a stop of the service can be asked for at once after it', async () => {
    const conversation = await service.conversation();
    service.play([endless(': ping\n\n')]);
    const response = await stream(conversation, new AbortController().signal);
    await untilAsked();
    const body = response.text();
    await service.server.stop('SIGTERM');
    expect(await body).toContain('"type":"end"');
    await service.startAgain();
    service.play([says('One.')]);
    const again = await service.send('POST', await replyAddress(conversation));
    expect(again.status).toBe(200);
  });

  test('by a crash of the service can be asked for when the lease has run out', async () => {
    const conversation = await service.conversation();
    service.play([endless(': ping\n\n')]);
    const response = await stream(conversation, new AbortController().signal);
    await untilAsked();
    await service.server.kill();
    await expect(response.text()).rejects.toThrow();
    // A start may take longer than a lease.
    await setLeases(Date.now() + 3_600_000);
    await service.startAgain();
    service.play([says('One.')]);
    const at = await replyAddress(conversation);
    await expectProblem(await service.send('POST', at), 409, 'conversation-busy');
    await setLeases(1);
    expect((await service.send('POST', at)).status).toBe(200);
    expect(await contents(conversation)).toEqual(['Hello?', 'One.']);
  });
});
