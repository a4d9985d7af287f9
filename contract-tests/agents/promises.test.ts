/** Answers that the contract shows, of operations that need a chat server, and a key for their headers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { calls, chunk, refuses, says, stream } from '../../testkit/chat/reply.js';
import { AgentService } from './agent-service.js';

const RATE = refuses(429, undefined, { 'Retry-After': '20' });

let service: AgentService;
beforeAll(async () => {
  service = await AgentService.open({ CHAT_MODEL: 'llama3.1', CHAT_MODELS: 'qwen3', MAX_RESOURCES: '20' });
});
afterAll(() => service.close());

/** Returns the field of a response's JSON. */
async function field(response: Response, name: string): Promise<string> {
  return String(Object(JSON.parse(await response.text()))[name]);
}

/** Creates a chatbot in front of an agent, and begins a conversation. Returns its address. */
async function converse(on: AgentService, agentFields = {}): Promise<string> {
  const agent = await on.agent(agentFields);
  await on.create('chatbot', { name: `bot_${agent}`, agent_name: agent });
  const at = `/projects/default/chatbots/bot_${agent}/conversations`;
  const begun = await on.send('POST', at, { conversation: { title: 'Cleaning' } });
  expect(begun.status).toBe(201);
  return `${at}/${await field(begun, 'id')}`;
}

const say = (on: AgentService, conversation: string, init?: RequestInit, content = 'Hello?') =>
  on.send('POST', `${conversation}/messages`, { message: { content } }, init);

/** Returns the identifier of the last message of a person. */
async function lastQuestion(on: AgentService, conversation: string): Promise<string> {
  const messages = JSON.parse(await (await on.send('GET', `${conversation}/messages`)).text());
  return messages.findLast(({ role }: { role: string }) => role === 'user').id;
}

async function expectProblem(response: Response, status: number, type: string): Promise<void> {
  expect(response.status).toBe(status);
  expect(await field(response, 'type')).toBe(`/problems/${type}`);
}

describe('an agent', () => {
  test('answers as the contract shows', async () => {
    await service.trainPrices();
    const agent = await service.agent({ skills: [{ type: 'model', params: { model: 'prices' } }] });
    service.chat.play(({ body }, number) =>
      number === 0
        ? calls({ name: body.tools?.[0]?.function.name ?? '', arguments: { carat: 0.7, cut: 'Ideal', color: 'G' } })
        : says('About 2,742 dollars.'),
    );
    expect((await service.answer(agent, 'What does it cost?')).steps).toHaveLength(1);
  });

  test('with an unknown chat model is refused, plain and streamed', async () => {
    const agent = await service.agent({ model_name: 'gpt-4o' });
    await expectProblem(await service.ask(agent, 'Hello?'), 409, 'unknown-chat-model');
    const at = `/projects/default/agents/${agent}/completions/stream`;
    const streamed = await service.send('POST', at, { messages: [{ question: 'Hello?' }] });
    await expectProblem(streamed, 409, 'unknown-chat-model');
  });

  test('passes on when the chat server may be asked again', async () => {
    service.chat.play([RATE]);
    const response = await service.ask(await service.agent(), 'Hello?');
    await expectProblem(response, 502, 'chat-server-failed');
    expect(response.headers.get('Retry-After')).toBe('20');
  });
});

describe('a conversation', () => {
  test('is listed in pages, and read again only if it has changed', async () => {
    const one = await converse(service);
    const list = one.slice(0, one.lastIndexOf('/'));
    await service.send('POST', list, { conversation: {} });
    const page = await service.send('GET', `${list}?limit=1`);
    expect(page.headers.get('Link')).toContain('rel="next"');
    const headers = { 'If-None-Match': (await service.send('GET', one)).headers.get('ETag') ?? '' };
    expect((await service.send('GET', one, undefined, { headers })).status).toBe(304);
    const another = { headers: { 'If-Match': '"another"' } };
    await expectProblem(await service.send('GET', one, undefined, another), 412, 'precondition-failed');
    const key = { headers: { 'Idempotency-Key': 'begin' } };
    for (const replayed of [null, 'true']) {
      const begun = await service.send('POST', list, { conversation: {} }, key);
      expect(begun.headers.get('Idempotent-Replayed')).toBe(replayed);
    }
    const other = await service.send('POST', list, { conversation: { title: 'Other' } }, key);
    await expectProblem(other, 422, 'idempotency-key-reused');
  });

  test('keeps a question whose reply failed, and replies to it later', async () => {
    const conversation = await converse(service);
    service.chat.play([RATE]);
    await expectProblem(await say(service, conversation), 502, 'chat-server-failed');
    const reply = `${conversation}/messages/${await lastQuestion(service, conversation)}/reply`;
    await expectProblem(await service.send('POST', reply), 502, 'chat-server-failed');
    service.chat.play([says('Yes.')]);
    expect((await service.send('POST', reply)).status).toBe(200);
    const key = { headers: { 'Idempotency-Key': 'say' } };
    expect((await say(service, conversation, key)).status).toBe(200);
    const other = await say(service, conversation, key, 'Something else?');
    await expectProblem(other, 422, 'idempotency-key-reused');
  });

  test('answers one message at a time', async () => {
    const conversation = await converse(service);
    service.chat.play([refuses(500)]);
    await say(service, conversation);
    const reply = `${conversation}/messages/${await lastQuestion(service, conversation)}/reply`;
    const asked = service.chat.requests.length;
    service.chat.play([{ ...stream(chunk({ content: 'Ab' })), end: 'silence' }]);
    const gone = new AbortController();
    const first = say(service, conversation, { signal: gone.signal }).catch(() => undefined);
    await expect.poll(() => service.chat.requests.length).toBe(asked + 1);
    await expectProblem(await say(service, conversation), 409, 'conversation-busy');
    await expectProblem(await service.send('POST', reply), 409, 'conversation-busy');
    gone.abort();
    await first;
  });

  test('with an agent of an unknown chat model is refused', async () => {
    const conversation = await converse(service, { model_name: 'gpt-4o' });
    await expectProblem(await say(service, conversation), 409, 'unknown-chat-model');
    const reply = `${conversation}/messages/${await lastQuestion(service, conversation)}/reply`;
    await expectProblem(await service.send('POST', reply), 409, 'unknown-chat-model');
  });

  test('that does not exist has no replies', async () => {
    const conversation = await converse(service);
    const id = '019a2f45-8b80-7f00-8c6d-2e5f8a1b4c01';
    const at = `${conversation.slice(0, conversation.lastIndexOf('/'))}/${id}/messages/${id}/reply`;
    await expectProblem(await service.send('POST', at), 404, 'conversation-not-found');
  });
});

test('an agent that does not exist is reported before a fault of the messages', async () => {
  const at = '/projects/default/agents/none/completions';
  const body = { messages: [{ question: 'Hello?', answer: 'Hello.' }] };
  await expectProblem(await service.send('POST', at, body), 404, 'agent-not-found');
});

describe('a skill', () => {
  test('holds so many documents, and no more', async () => {
    await service.create('skill', { name: 'care', type: 'knowledge_base' });
    const at = '/projects/default/skills/care/documents';
    for (let number = 0; number < 20; number += 1) await service.sendText(`${at}/${number}`, 'A.');
    const init = { body: 'A.', headers: { 'Content-Type': 'text/markdown' } };
    const response = await service.send('PUT', `${at}/more`, undefined, init);
    await expectProblem(response, 409, 'limit-reached');
  });

  test('that does not exist has no documents to delete', async () => {
    const response = await service.send('DELETE', '/projects/default/skills/none/documents/a');
    await expectProblem(response, 404, 'skill-not-found');
  });
});

describe('a service', () => {
  test('without a chat server keeps a question, and says how to configure one', async () => {
    const own = await AgentService.open({ CHAT_URL: '', CHAT_MODEL: '' });
    try {
      const conversation = await converse(own);
      const asked = await own.ask(await own.agent(), 'Hello?');
      expect(await asked.clone().text()).toMatch(/CHAT_URL and CHAT_MODEL/);
      await expectProblem(asked, 501, 'chat-not-configured');
      await expectProblem(await say(own, conversation), 501, 'chat-not-configured');
      const reply = `${conversation}/messages/${await lastQuestion(own, conversation)}/reply`;
      await expectProblem(await own.send('POST', reply), 501, 'chat-not-configured');
      const at = `/projects/default/agents/${await own.agent()}/completions/stream`;
      const streamed = await own.send('POST', at, { messages: [{ question: 'Hello?' }] });
      await expectProblem(streamed, 501, 'chat-not-configured');
    } finally {
      await own.close();
    }
  });

  test('whose chat server is down says so', async () => {
    const own = await AgentService.open({ CHAT_URL: 'http://127.0.0.1:9/v1' });
    try {
      const conversation = await converse(own);
      const asked = await own.ask(await own.agent(), 'Hi?');
      expect(await asked.clone().text()).toContain('"error_type":"connection"');
      await expectProblem(asked, 502, 'chat-server-failed');
      await expectProblem(await say(own, conversation), 502, 'chat-server-failed');
      const reply = `${conversation}/messages/${await lastQuestion(own, conversation)}/reply`;
      await expectProblem(await own.send('POST', reply), 502, 'chat-server-failed');
    } finally {
      await own.close();
    }
  });

  test('that stores as much as it may takes no document, conversation or message', async () => {
    const own = await AgentService.open({ MAX_STORED: '2000' });
    try {
      await own.create('skill', { name: 'care', type: 'knowledge_base' });
      const conversation = await converse(own);
      await expectProblem(await say(own, conversation, {}, 'x'.repeat(3000)), 409, 'limit-reached');
      const init = { body: 'x'.repeat(3000), headers: { 'Content-Type': 'text/plain' } };
      const at = '/projects/default/skills/care/documents/large';
      await expectProblem(await own.send('PUT', at, undefined, init), 409, 'limit-reached');
      const list = conversation.slice(0, conversation.lastIndexOf('/'));
      const responses = [];
      for (let count = 0; count < 8; count += 1) {
        responses.push(await own.send('POST', list, { conversation: {} }));
      }
      const refused = responses.find(({ status }) => status === 409);
      expect(refused && (await field(refused, 'type'))).toBe('/problems/limit-reached');
    } finally {
      await own.close();
    }
  });
});
