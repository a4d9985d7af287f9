/** Tests of conversations with chatbots, against a service with a scripted chat server. */
import type { components } from 'roster-client';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { eventsIn } from '../../../contract/event-data.js';
import { ConversingService } from '../../../testkit/chat/conversing-service.js';
import { refuses, says } from '../../../testkit/chat/reply.js';
import { checkedFetch } from '../../checked-fetch.js';
import { keys, sendAs } from '../../target.js';

type Schemas = components['schemas'];

const STREAMED = { headers: { Accept: 'text/event-stream' } };

let service: ConversingService;
beforeAll(async () => {
  const { databaseUrl } = inject('target');
  service = await ConversingService.open({ databaseUrl, fetch: checkedFetch, env: { MAX_RESOURCES: '20' } });
});
afterAll(() => service.close());

/** Returns the text of a streamed answer. */
function textOf(events: readonly Record<string, unknown>[]): string {
  return events.flatMap(({ type, content }) => (type === 'delta' ? [content] : [])).join('');
}

/** Returns the part of a message that most tests compare. */
const asLine = ({ role, content }: { role: string; content?: unknown }) => `${role}: ${content}`;

describe('a new conversation', () => {
  test('begins with the greeting of its chatbot', async () => {
    const chatbot = await service.chatbot({ settings: { greeting: 'Welcome!' } });
    const conversation = await service.conversation(chatbot);
    expect(await service.json('GET', conversation)).toMatchObject({ messages: 1, title: null });
    expect(await service.messages(conversation)).toMatchObject([
      { role: 'assistant', content: 'Welcome!', reply_to: null, steps: [], usage: null },
    ]);
  });

  test('is empty if the greeting was removed', async () => {
    const chatbot = await service.chatbot({ settings: { greeting: 'Welcome!' } });
    await service.json('PUT', chatbot, { chatbot: { settings: { greeting: null } } });
    expect(await service.messages(await service.conversation(chatbot))).toEqual([]);
  });

  test('is begun once under an Idempotency-Key', async () => {
    const chatbot = await service.chatbot();
    const init = { headers: { 'Idempotency-Key': 'begin-once' } };
    const first = await service.conversation(chatbot, init);
    expect(await service.conversation(chatbot, init)).toBe(first);
    expect(await service.json('GET', `${chatbot}/conversations`)).toHaveLength(1);
  });

  test('is refused if the chatbot has as many as it may', async () => {
    const chatbot = await service.chatbot();
    const conversations = [];
    for (let count = 0; count < 20; count += 1) {
      conversations.push(await service.conversation(chatbot));
    }
    const body = { conversation: {} };
    const refused = await service.send('POST', `${chatbot}/conversations`, body);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      type: '/problems/limit-reached',
      detail: expect.stringContaining('already holds 20 conversations'),
    });
    await service.send('DELETE', `${conversations[0]}`);
    await service.conversation(chatbot);
  });
});

describe('the settings of a chatbot', () => {
  test.each([
    ['greeting', 5],
    ['instructions', ['Be brief.']],
    ['history', 101],
    ['history', 2.5],
  ])('must fit: %s %j', async (name, value) => {
    const chatbot = { name: 'unfit', settings: { [name]: value } };
    const refused = await service.send('POST', '/projects/default/chatbots', { chatbot });
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: `/body/chatbot/settings/${name}` }] });
  });

  test('must fit under their older name too, and in an update', async () => {
    const chatbot = await service.chatbot();
    const refused = await service.send('PUT', chatbot, { chatbot: { params: { history: -1 } } });
    expect(await refused.json()).toMatchObject({ errors: [{ pointer: '/body/chatbot/params/history' }] });
  });
});

describe('a message', () => {
  test('is kept with its reply, its steps and its usage', async () => {
    const conversation = await service.conversation();
    service.play([says('In warm ', 'water.')]);
    const { question, message } = await service.talk(conversation, 'How do I clean it?');
    expect(question).toMatchObject({ role: 'user', content: 'How do I clean it?', reply_to: null });
    expect(message).toMatchObject({
      role: 'assistant',
      content: 'In warm water.',
      reply_to: question.id,
      steps: [],
      usage: { requests: 1, total_tokens: 15 },
    });
    expect(await service.messages(conversation)).toEqual([question, message]);
    expect(await service.json('GET', conversation)).toMatchObject({ messages: 2, updated_at: message.created_at });

    // No database keeps these.
    service.play([says('In \0 warm \ud800 water.')]);
    const { message: odd } = await service.talk(conversation, 'And then?');
    expect(odd.content).toBe('In \ufffd warm \ufffd water.');
    expect((await service.messages(conversation)).at(-1)).toEqual(odd);
  });

  test('streams its reply, whose end frees the conversation', async () => {
    const conversation = await service.conversation();
    service.play([says('In warm ', 'water.')]);
    for (const content of ['How?', 'And then?']) {
      const response = await service.say(conversation, content, STREAMED);
      const events = eventsIn<Record<string, unknown>>(await response.text());
      const [question, message] = (await service.messages(conversation)).slice(-2);
      expect(events.at(0)).toMatchObject({ type: 'start', prompt: content, message_id: question?.id });
      expect(textOf(events)).toBe('In warm water.');
      expect(events.at(-2)).toMatchObject({ output: 'In warm water.', message_id: message?.id });
      expect(events.at(-1)).toMatchObject({ type: 'end' });
    }
  });

  test('is sent with the history, and the instructions of the chatbot', async () => {
    const settings = { greeting: 'Welcome!', instructions: 'Answer in rhymes.' };
    const conversation = await service.conversation(await service.chatbot({ settings }));
    service.play([says('One.'), says('Two.')]);
    await service.talk(conversation, 'First?');
    await service.talk(conversation, 'Second?');
    const [system, ...messages] = service.sent().at(-1) ?? [];
    expect(system).toMatchObject({ role: 'system' });
    expect(system?.content).toContain('Answer in rhymes.');
    expect(messages.map(asLine)).toEqual(['user: First?', 'assistant: One.', 'user: Second?']);
  });

  test.each([
    [0, ['user: Third?']],
    [1, ['user: Third?']],
    [2, ['user: Second?', 'assistant: Two.', 'user: Third?']],
  ])('is sent with no more than the last %i messages', async (history, expected) => {
    const conversation = await service.conversation(await service.chatbot({ settings: { history } }));
    service.play([says('One.'), says('Two.'), says('Three.')]);
    for (const content of ['First?', 'Second?', 'Third?']) await service.talk(conversation, content);
    expect(service.sent().at(-1)?.slice(1).map(asLine)).toEqual(expected);
  });

  test('is sent with at most 64 KiB of earlier text', async () => {
    const conversation = await service.conversation();
    service.play([says('One.'), says('Two.'), says('Three.')]);
    for (const mark of ['ä', 'b']) await service.talk(conversation, mark.repeat(30_000));
    await service.talk(conversation, 'Third?');
    const earlier = service.sent().at(-1)?.slice(1, -1) ?? [];
    expect(earlier.map(({ content }) => String(content).slice(0, 4))).toEqual(['bbbb', 'Two.']);
  });

  test('is answered by the language model alone after its agent was deleted', async () => {
    const agent = { name: 'analyst', prompt_template: 'You know diamonds.' };
    await service.json('POST', '/projects/default/agents', { agent });
    const conversation = await service.conversation(await service.chatbot({ agent_name: 'analyst' }));
    service.play([says('One.'), says('Two.')]);
    await service.talk(conversation, 'First?');
    await service.send('DELETE', '/projects/default/agents/analyst');
    await service.talk(conversation, 'Second?');
    const [before, after] = service.sent().map(([system]) => String(system?.content));
    expect(before).toContain('You know diamonds.');
    expect(after).not.toContain('You know diamonds.');
  });
});

describe('a reply that failed', () => {
  test('leaves the message, and can be asked for again', async () => {
    const conversation = await service.conversation();
    service.play([refuses(500)]);
    expect((await service.say(conversation, 'First?')).status).toBe(502);
    service.play([says('Second.'), says('First.')]);
    await service.talk(conversation, 'Second?');
    const [first] = await service.messages(conversation);
    const at = `${conversation}/messages/${first?.id}/reply`;
    const reply = await service.json<Schemas['Reply']>('POST', at);
    expect(reply).toMatchObject({ question: first, message: { content: 'First.' } });
    expect(service.sent().at(-1)?.slice(1).map(asLine)).toEqual(['user: First?']);
    expect(await service.json('POST', at)).toEqual(reply);
    expect(service.sent()).toHaveLength(2);

    // Later questions have each reply behind its question.
    await service.talk(conversation, 'Third?');
    expect(service.sent().at(-1)?.slice(1).map(asLine)).toEqual([
      ...['user: First?', 'assistant: First.', 'user: Second?', 'assistant: Second.', 'user: Third?'],
    ]);
  });

  test('is streamed when it is asked for again, also from the store', async () => {
    const conversation = await service.conversation();
    service.play([refuses(500)]);
    const failed = await service.say(conversation, 'First?', STREAMED);
    const types = eventsIn<Record<string, unknown>>(await failed.text()).map(({ type }) => type);
    expect(types).toEqual(['start', 'error', 'end']);
    service.play([says('First.')]);
    const [first] = await service.messages(conversation);
    for (let time = 0; time < 2; time += 1) {
      const at = `${conversation}/messages/${first?.id}/reply`;
      const events = eventsIn(await (await service.send('POST', at, undefined, STREAMED)).text());
      const [, reply] = await service.messages(conversation);
      expect(events.at(-2)).toMatchObject({ output: 'First.', message_id: reply?.id });
    }
    expect(service.sent()).toHaveLength(1);
  });

  test('is not to be had for a message of the chatbot, or for none', async () => {
    const chatbot = await service.chatbot({ settings: { greeting: 'Welcome!' } });
    const conversation = await service.conversation(chatbot);
    const [greeting] = await service.messages(conversation);
    for (const id of [greeting?.id, '019a2f45-8b90-7022-9d7e-3f609b2c5d09']) {
      const refused = await service.send('POST', `${conversation}/messages/${id}/reply`);
      expect(refused.status).toBe(404);
      expect(await refused.json()).toMatchObject({ type: '/problems/message-not-found' });
    }
  });
});

describe('the list of messages', () => {
  test('is read in pages', async () => {
    const conversation = await service.conversation();
    service.play([says('Yes.')]);
    for (const content of ['One?', 'Two?', 'Three?']) await service.talk(conversation, content);
    const read: string[] = [];
    for (let next: string | undefined = `${conversation}/messages?limit=4`; next; ) {
      const response: Response = await service.send('GET', next);
      const page: Schemas['Message'][] = JSON.parse(await response.text());
      read.push(...page.map(({ content }) => content));
      next = /<(.*)>/.exec(response.headers.get('Link') ?? '')?.[1];
    }
    expect(read).toEqual(['One?', 'Yes.', 'Two?', 'Yes.', 'Three?', 'Yes.']);
  });
});

describe('a deleted conversation', () => {
  test('is gone for every operation', async () => {
    const conversation = await service.conversation();
    expect((await service.send('DELETE', conversation)).status).toBe(204);
    const answers = [
      await service.send('GET', conversation),
      await service.send('DELETE', conversation),
      await service.send('GET', `${conversation}/messages`),
      await service.say(conversation, 'Hello?'),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(await answer.json()).toMatchObject({ type: '/problems/conversation-not-found' });
    }
  });

  test('goes with its chatbot', async () => {
    const chatbot = await service.chatbot({ settings: { greeting: 'Welcome!' } });
    const conversation = await service.conversation(chatbot);
    expect((await service.send('DELETE', chatbot)).status).toBe(204);
    const answer = await service.send('GET', conversation);
    expect(await answer.json()).toMatchObject({ type: '/problems/chatbot-not-found' });
  });

  test('is not found under another chatbot', async () => {
    const [, id] = (await service.conversation()).split('/conversations/');
    const answer = await service.send('GET', `${await service.chatbot()}/conversations/${id}`);
    expect(await answer.json()).toMatchObject({ type: '/problems/conversation-not-found' });
  });
});

test('a conversation of another owner is not found, whatever the names', async () => {
  const name = `talks-${process.pid}-${Date.now()}`;
  const at = `/projects/${name}/chatbots/desk/conversations`;
  const post = (key: string, path: string, body: object) =>
    sendAs(key, path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
  const locations = [];
  for (const key of [keys.own, keys.stranger]) {
    await post(key, '/projects', { project: { name } });
    await post(key, `/projects/${name}/chatbots`, { chatbot: { name: 'desk' } });
    const created = await post(key, at, { conversation: {} });
    locations.push(created.headers.get('Location') ?? '');
  }
  const [own = '', strange = ''] = locations;
  expect((await sendAs(keys.stranger, strange)).status).toBe(200);
  const answers = [
    await sendAs(keys.stranger, own),
    await sendAs(keys.stranger, `${own}/messages`),
    await post(keys.stranger, `${own}/messages`, { message: { content: 'Hello?' } }),
    await sendAs(keys.stranger, own, { method: 'DELETE' }),
  ];
  for (const answer of answers) {
    expect(await answer.json()).toMatchObject({ type: '/problems/conversation-not-found' });
  }
  expect((await sendAs(keys.own, own)).status).toBe(200);
});
