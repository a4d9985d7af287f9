/** Structured outputs: answers in the form that a client of OpenAI's API asks for. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsIn } from '../../contract/event-data.js';
import type { components } from '../../generated/openapi.js';
import { calls, refuses, says } from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';
import { AgentService } from './agent-service.js';

type Schemas = components['schemas'];

let service: AgentService;
beforeAll(async () => {
  service = await AgentService.open();
  await service.trainPrices();
  await service.create('skill', { name: 'prices', type: 'model', params: { model: 'prices' } });
  await service.create('agent', { name: 'jeweller', skills: ['prices'] });
  await service.create('agent', { name: 'clerk' });
});
afterAll(() => service.close());

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const SCHEMA = {
  type: 'object',
  properties: { price: { type: 'number' } },
  required: ['price'],
  additionalProperties: false,
};
const FORM = { name: 'price', description: 'A price.', strict: true, schema: SCHEMA };
const ASKED = [{ role: 'user', content: 'What does 0.7 carat cost?' }];

const chatBody = (fields: object = {}) => ({
  model: 'clerk',
  messages: ASKED,
  response_format: { type: 'json_schema', json_schema: FORM },
  ...fields,
});
const responseBody = (fields: object = {}) => ({
  model: 'clerk',
  input: ASKED,
  text: { format: { type: 'json_schema', ...FORM } },
  ...fields,
});

async function complete(fields?: object): Promise<string | null | undefined> {
  const answer: Schemas['ChatCompletion'] = await service.json('POST', CHAT, chatBody(fields));
  return answer.choices[0]?.message.content;
}

async function respond(fields?: object): Promise<Schemas['OpenaiResponse']> {
  return service.json('POST', RESPONSES, responseBody(fields));
}

const texts = ({ output }: Schemas['OpenaiResponse']) =>
  output.flatMap((item) => (item.type === 'message' ? item.content.map(({ text }) => text) : []));

describe('an answer in the form of a schema', () => {
  test('is asked of the chat server, and checked', async () => {
    service.chat.play(() => says('{"price":', '2700}'));
    expect(await complete()).toBe('{"price":2700}');
    const response = await respond();
    expect(texts(response)).toEqual(['{"price":2700}']);
    expect(response.text).toEqual({ format: { type: 'json_schema', ...FORM } });
    const asked = { type: 'json_schema', json_schema: FORM };
    expect(service.chat.sent().map((request) => request.response_format)).toEqual([asked, asked]);
    expect(service.chat.sent()[0]?.messages[0]?.content).toContain(JSON.stringify(SCHEMA));
  });

  test('uses the tools of the agent first, which a chat server with a form would never call', async () => {
    const script: ChatScript = (_, number) => {
      if (number === 0) return calls({ name: 'prices', arguments: { carat: 0.7 } });
      return number === 1 ? says('About 2,700.') : says('```json\n{"price": 2700}\n```');
    };
    service.chat.play(script);
    expect(await complete({ model: 'jeweller' })).toBe('{"price": 2700}');
    expect(
      service.chat.sent().map(({ tools, response_format: form }) => [tools !== undefined, form !== undefined]),
    ).toEqual([
      [true, false],
      [true, false],
      [false, true],
    ]);
    service.chat.play(script);
    const response = await respond({ model: 'jeweller' });
    expect(response.output.map(({ type }) => type)).toEqual(['roster:tool_call', 'message']);
    expect(texts(response)).toEqual(['{"price": 2700}']);
  });

  test('has no other words before it in a stream, and none of an answer that did not fit', async () => {
    const script: ChatScript = (_, number) => (number === 0 ? says('Let me ', 'think.') : says('{"price":', '1}'));
    service.chat.play(script);
    const chunks = eventsIn<Schemas['ChatCompletionChunk']>(
      await service.text('POST', CHAT, chatBody({ stream: true })),
    );
    expect(chunks.map(({ choices: [at] }) => at?.delta.content ?? '').join('')).toBe('{"price":1}');
    service.chat.play(script);
    const events = eventsIn<Schemas['OpenaiResponseEvent']>(
      await service.text('POST', RESPONSES, responseBody({ stream: true })),
    );
    const pieces = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect(pieces.join('')).toBe('{"price":1}');
    expect(service.chat.sent()[1]?.messages.slice(-2)).toMatchObject([
      { role: 'assistant', content: 'Let me think.' },
      { role: 'user', content: expect.stringContaining('it is not JSON') },
    ]);
  });

  test.each([
    ['prose', 'About 2,700.', 'it is not JSON'],
    ['another type', '{"price":"2700"}', '/price must be of the type number'],
    ['a member more', '{"price":1,"note":""}', '/note must be left out'],
  ])('that is %s three times is asked for twice, and refused with the fault', async (_, said, fault) => {
    service.chat.play(() => says(said));
    for (const [path, body] of [
      [CHAT, chatBody()],
      [RESPONSES, responseBody()],
    ] as const) {
      const refused = await service.send('POST', path, body);
      expect(await refused.json()).toMatchObject({
        status: 502,
        error: { type: 'server_error', code: 'chat_server_failed', message: expect.stringContaining(fault) },
      });
    }
    expect(service.chat.sent()).toHaveLength(4);
    const stream = await service.text('POST', CHAT, chatBody({ stream: true }));
    expect(eventsIn(stream).at(-1)).toMatchObject({ error: { code: 'chat_server_failed' } });
    const events = eventsIn(await service.text('POST', RESPONSES, responseBody({ stream: true })));
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { output: [] } });
  });

  test.each([400, 422])('is asked in words of a chat server that refuses the form with %d', async (status) => {
    const script: ChatScript = ({ body }) =>
      body.response_format ? refuses(status, { message: 'unknown field' }) : says('{"price":2700}');
    service.chat.play(script);
    expect(await complete()).toBe('{"price":2700}');
    expect(service.chat.sent()).toHaveLength(2);
    service.chat.play((request, number) => {
      if (!request.body.response_format || status !== 400) return script(request, number);
      return refuses(400, { message: "'max_tokens' is not supported. Use 'max_completion_tokens'." });
    });
    expect(await complete({ max_tokens: 100 })).toBe('{"price":2700}');
  });

  test('that the chat server refuses for another reason is refused with it', async () => {
    for (const [status, requests] of [
      [400, 2],
      [429, 1],
    ] as const) {
      service.chat.play(() => refuses(status));
      expect((await service.send('POST', CHAT, chatBody())).status).toBe(502);
      expect(service.chat.sent()).toHaveLength(requests);
    }
  });

  test('that is cut at a bound of tokens ends so, without a check', async () => {
    service.chat.play(() => says('{"pri'));
    service.chat.play(() => ({
      body: [
        'data: {"choices":[{"index":0,"delta":{"content":"{\\"pri"},"finish_reason":"length"}]}\n\n',
        'data: [DONE]\n\n',
      ],
    }));
    const answer: Schemas['ChatCompletion'] = await service.json('POST', CHAT, chatBody());
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '{"pri' } });
    expect(await respond()).toMatchObject({ status: 'incomplete' });
  });

  test('ends at a call of a tool of the client', async () => {
    const tool = { name: 'stock', parameters: { type: 'object', properties: {} } };
    service.chat.play(() => calls({ name: 'stock', arguments: {} }));
    const answer: Schemas['ChatCompletion'] = await service.json(
      'POST',
      CHAT,
      chatBody({ tools: [{ type: 'function', function: tool }] }),
    );
    expect(answer.choices[0]?.finish_reason).toBe('tool_calls');
  });
});

test('any JSON object can be asked for, and text by name', async () => {
  service.chat.play((_, number) => says(number % 2 === 0 ? '[1]' : '{"any":1}'));
  expect(await complete({ response_format: { type: 'json_object' } })).toBe('{"any":1}');
  const response = await respond({ text: { format: { type: 'json_object' } } });
  expect([texts(response), response.text.format]).toEqual([['{"any":1}'], { type: 'json_object' }]);
  service.chat.play(() => says('Hello.'));
  expect(await complete({ response_format: { type: 'text', json_schema: null } })).toBe('Hello.');
  expect(texts(await respond({ text: { format: { type: 'text' } } }))).toEqual(['Hello.']);
});

const CLIMBING = { type: 'string', pattern: '^(([a-z])+.)+[A-Z]([a-z])+$' };

test('a pattern that explodes elsewhere, and a schema that is recursive, are checked', async () => {
  const list = {
    $defs: {
      node: { type: 'object', properties: { word: CLIMBING, next: { $ref: '#/$defs/node' } }, required: ['word'] },
    },
    $ref: '#/$defs/node',
  };
  const form = (schema: object) => ({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
  const word = JSON.stringify({ word: 'a'.repeat(30_000), next: { word: 'aXa' } });
  service.chat.play(() => says(word));
  const refused = await service.send('POST', CHAT, chatBody(form(list)));
  expect(await refused.json()).toMatchObject({ status: 502, detail: expect.stringMatching(/steps|pattern/) });
  service.chat.play(() => says('{"word":"abXab","next":{"word":"cdYcd"}}'));
  expect(await complete(form(list))).toContain('abXab');
  service.chat.play(() => says('1'));
  const endless = await service.send('POST', CHAT, chatBody(form({ $ref: '#' })));
  expect(await endless.json()).toMatchObject({ status: 502, detail: expect.stringContaining('nested too deeply') });
});

describe('a form is refused', () => {
  const chat = (json_schema: unknown) => ({ response_format: { type: 'json_schema', json_schema } });
  test.each<[what: string, fields: object, param: string]>([
    ['without a schema', chat({ name: 'x' }), 'response_format.json_schema.schema'],
    ['that is missing', chat(null), 'response_format.json_schema.name'],
    ['of another kind', { response_format: { type: 'grammar' } }, 'response_format.type'],
    ['with an unknown field', chat({ ...FORM, other: 1 }), 'response_format.json_schema.other'],
    [
      'of 900 kB',
      chat({ ...FORM, schema: { description: 'x'.repeat(900_000) } }),
      'response_format.json_schema.schema',
    ],
    [
      'with a back reference',
      chat({ ...FORM, schema: { pattern: '(a)\\1' } }),
      'response_format.json_schema.schema.pattern',
    ],
  ])('%s, with its place', async (_, fields, param) => {
    const refused = await service.send('POST', CHAT, chatBody(fields));
    expect(await refused.json()).toMatchObject({ status: 400, error: { type: 'invalid_request_error', param } });
  });

  test('of 1 MB, or of a response without a name, for both', async () => {
    const huge = { schema: { description: 'x'.repeat(2 ** 20) } };
    expect((await service.send('POST', CHAT, chatBody(chat({ ...FORM, ...huge })))).status).toBe(413);
    const nameless = await service.send('POST', RESPONSES, responseBody({ text: { format: { type: 'json_schema' } } }));
    expect(await nameless.json()).toMatchObject({ status: 400, error: { param: 'text.format.name' } });
  });
});
