/** Agents as models of OpenAI's API, at `/v1`. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { components } from '../../generated/openapi.js';
import { calls, chunk, DONE, refuses, says, stream } from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';
import { eventsIn } from '../../testkit/http/event-data.js';
import { startServer } from '../../testkit/service/server-process.js';
import { checkedFetch } from '../checked-fetch.js';
import { AgentService } from './agent-service.js';

type Schemas = components['schemas'];
type Completion = Schemas['ChatCompletion'];
type Chunk = Schemas['ChatCompletionChunk'];

let service: AgentService;
let analyst: string;
beforeAll(async () => {
  service = await AgentService.open({ CHAT_MODEL: 'llama3.1', CHAT_MODELS: 'qwen3' });
  await service.trainPrices();
  await service.create('skill', { name: 'prices', type: 'model', params: { model: 'prices' } });
  analyst = 'analyst';
  await service.create('agent', {
    name: analyst,
    skills: ['prices'],
    settings: { temperature: 0.2 },
  });
});
afterAll(() => service.close());

const QUESTION = { role: 'user', content: 'What does 0.7 carat cost?' };
const ADDRESS = '/v1/chat/completions';

let begun = 0;
function play(script: ChatScript): void {
  begun = service.chat.requests.length;
  service.chat.play(script);
}

/** Returns the requests that the chat server got since the script began. */
function sent() {
  return service.chat.requests.slice(begun).map(({ body }) => body);
}

const body = (fields: object = {}) => ({ model: analyst, messages: [QUESTION], ...fields });

const complete = (fields?: object): Promise<Completion> =>
  service.json('POST', ADDRESS, body(fields));

async function streamed(fields: object = {}) {
  const text = await service.text('POST', ADDRESS, body({ stream: true, ...fields }));
  expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  return eventsIn<Chunk>(text);
}

/** Asks a tool of the agent after some words, then answers. */
const usesPrices: ChatScript = (_, number) =>
  number === 0
    ? stream(
        chunk({ role: 'assistant', content: 'Let me look.' }),
        chunk({
          tool_calls: [
            {
              index: 0,
              id: 'call_0',
              type: 'function',
              function: { name: 'prices', arguments: '{"carat":0.7,"cut":"Ideal","color":"G"}' },
            },
          ],
        }),
        chunk({}, 'tool_calls'),
        DONE,
      )
    : says('About ', '2,700 dollars.');

describe('a chat completion', () => {
  test('has the text of its stream, and tells the tools of the agent as steps alone', async () => {
    play(usesPrices);
    const whole = await complete();
    const [choice] = whole.choices;
    expect(choice).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Let me look.\n\nAbout 2,700 dollars.' },
    });
    expect(choice?.message).not.toHaveProperty('tool_calls');
    expect(whole.steps).toMatchObject([{ skill: 'prices', input: { carat: 0.7 }, error: null }]);
    expect(whole.usage).toEqual({ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 });

    play(usesPrices);
    const chunks = await streamed();
    expect(chunks.map(({ choices: [at] }) => at?.delta.content ?? '').join('')).toBe(
      choice?.message.content,
    );
    expect(JSON.stringify(chunks)).not.toContain('tool_calls');
    expect(chunks.at(-1)).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
      steps: [{ skill: 'prices' }],
    });
    expect(chunks.every((part) => part.usage === undefined)).toBe(true);
  });

  test('tells the tokens of a stream when asked', async () => {
    play(() => says('Hello.'));
    const chunks = await streamed({ stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
    play(() => says('Hello.'));
    expect((await streamed()).at(-1)).toMatchObject({ choices: [{ delta: {} }], steps: [] });
  });

  test('takes instructions and temperature beside those of the agent', async () => {
    play(() => says('Hello.'));
    await complete({
      temperature: 1,
      messages: [
        { role: 'system', content: 'Answer in verse.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Hello' },
            { type: 'text', text: 'you.' },
          ],
        },
      ],
    });
    const [{ messages = [], temperature } = {}] = sent();
    expect(temperature).toBe(1);
    expect(messages[0]?.content).toContain('Answer in verse.');
    expect(messages[1]).toMatchObject({ role: 'user', content: 'Hello\nyou.' });
  });

  test('offers the tools of the client, and goes on with their results', async () => {
    const tools = [
      {
        type: 'function',
        function: { name: 'stock', parameters: { type: 'object', properties: {} } },
      },
    ];
    play(() => calls({ name: 'stock', arguments: { carat: 0.7 } }));
    const asked = await complete({ tools });
    const [choice] = asked.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const call = {
      id: 'call_0',
      type: 'function',
      function: { name: 'stock', arguments: '{"carat":0.7}' },
    };
    expect(choice?.message.tool_calls).toEqual([call]);
    expect(asked.steps).toEqual([]);
    expect(sent()[0]?.tools?.map((tool) => tool.function.name)).toEqual(['prices', 'stock']);

    play(() => calls({ name: 'stock', arguments: { carat: 0.7 } }));
    const chunks = await streamed({ tools });
    const pieces = chunks.flatMap(({ choices: [at] }) => at?.delta.tool_calls ?? []);
    expect(pieces).toEqual([{ index: 0, ...call }]);

    play(() => says('Three are left.'));
    const next = await complete({
      tools,
      messages: [
        QUESTION,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_0', content: '3' },
      ],
    });
    expect(next.choices[0]?.message.content).toBe('Three are left.');
    expect(sent()[0]?.messages.slice(1)).toMatchObject([
      QUESTION,
      { role: 'assistant', tool_calls: [{ id: 'call_0' }] },
      { role: 'tool', tool_call_id: 'call_0', content: '<result>\n3\n</result>' },
    ]);
  });

  test.each([
    ['tool_choice is none', { tool_choice: 'none' }],
    [
      'Open WebUI asks for a title',
      {
        messages: [
          {
            role: 'user',
            content: '### Task:\nGenerate a title.\n<chat_history>\nHello\n</chat_history>',
          },
        ],
      },
    ],
    [
      'LibreChat asks for a title',
      {
        messages: [
          {
            role: 'user',
            content:
              'Provide a concise, 5-word-or-less title for the conversation, using title case conventions.',
          },
        ],
      },
    ],
  ])('offers no tools when %s', async (_, fields) => {
    play(() => says('Diamond prices'));
    await complete(fields);
    expect(sent()[0]?.tools).toBeUndefined();
  });

  test('finds an agent by its project too', async () => {
    play(() => says('Hello.'));
    expect(await complete({ model: `default/${analyst}` })).toMatchObject({
      model: `default/${analyst}`,
    });
    expect(await service.json('GET', '/v1/models')).toMatchObject({
      object: 'list',
      data: [{ id: 'default/analyst', object: 'model', owned_by: 'roster' }],
    });
    const stranger = await service.keyOf({ owner: 'acme' });
    const own = { headers: { Authorization: `Bearer ${stranger}` } };
    expect(await service.json('GET', '/v1/models', undefined, own)).toMatchObject({ data: [] });
    expect((await service.send('POST', ADDRESS, body(), own)).status).toBe(404);
  });
});

describe('an error', () => {
  const call = { id: 'call_0', type: 'function', function: { name: 'stock', arguments: '{}' } };
  const made = { role: 'assistant', tool_calls: [call] };
  test.each([
    ['an unknown agent', { model: 'nobody' }, 404, 'not_found_error', null, 'agent_not_found'],
    [
      'an image',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      400,
      'invalid_request_error',
      'messages[0].content[0].image_url',
      'invalid_request',
    ],
    ['two answers', { n: 2 }, 400, 'invalid_request_error', 'n', 'invalid_request'],
    [
      'a schema of the answer',
      { response_format: { type: 'json_object' } },
      400,
      'invalid_request_error',
      'response_format.type',
      'invalid_request',
    ],
    [
      'a last message of the assistant',
      { messages: [{ role: 'assistant', content: 'Hello.' }] },
      400,
      'invalid_request_error',
      'messages[0].role',
      'invalid_request',
    ],
    [
      'a message without content',
      { messages: [{ role: 'user' }] },
      400,
      'invalid_request_error',
      'messages[0].content',
      'invalid_request',
    ],
    [
      'a call without a result',
      { messages: [made, QUESTION] },
      400,
      'invalid_request_error',
      'messages[0].tool_calls',
      'invalid_request',
    ],
    [
      'a result without a call',
      { messages: [{ role: 'tool', tool_call_id: 'call_1', content: '' }] },
      400,
      'invalid_request_error',
      'messages[0].tool_call_id',
      'invalid_request',
    ],
    [
      'a tool that the agent has',
      { tools: [{ type: 'function', function: { name: 'prices' } }] },
      400,
      'invalid_request_error',
      'tools[0].function.name',
      'invalid_request',
    ],
    [
      'tools of 130 KiB',
      {
        tools: [1, 2]
          .map((n) => ({
            type: 'function',
            function: { name: `t${n}`, parameters: { x: 'x'.repeat(65_000) } },
          }))
          .concat([
            { type: 'function', function: { name: 't3', parameters: { x: 'x'.repeat(3000) } } },
          ]),
      },
      400,
      'invalid_request_error',
      'tools',
      'invalid_request',
    ],
  ])(
    'of %s says where and how to fix it, for both kinds of clients',
    async (_, fields, status, type, param, code) => {
      const response = await service.send('POST', ADDRESS, body(fields));
      expect(response.status).toBe(status);
      const message = expect.stringMatching(/\w/);
      expect(await response.json()).toMatchObject({
        status,
        error: { message, type, param, code },
      });
    },
  );

  test('of an address that is not served is one of theirs too', async () => {
    const response = await service.send('POST', '/v1/embeddings', {});
    expect(await response.json()).toMatchObject({
      status: 404,
      error: { type: 'not_found_error' },
    });
  });

  test('of a key, of a wrong scope and of the chat server has its kind', async () => {
    const wrong = { headers: { Authorization: 'Bearer roster_x_y' } };
    const unknown = await service.send('POST', ADDRESS, body(), wrong);
    expect(await unknown.json()).toMatchObject({ error: { type: 'authentication_error' } });
    const reader = await service.keyOf({ scopes: ['read'] });
    const own = { headers: { Authorization: `Bearer ${reader}` } };
    const refused = await service.send('POST', ADDRESS, body(), own);
    expect(await refused.json()).toMatchObject({ error: { type: 'permission_error' } });
    for (const reply of [
      refuses(429, undefined, { 'Retry-After': '20' }),
      { end: 'no headers' } as const,
    ]) {
      play(() => reply);
      const failed = await service.send('POST', ADDRESS, body());
      expect(failed.status).toBe(502);
      expect(await failed.json()).toMatchObject({ error: { type: 'server_error' } });
    }
    await service.create('agent', { name: 'older', model_name: 'gone' });
    const gone = await service.send('POST', ADDRESS, body({ model: 'older' }));
    expect(gone.status).toBe(409);
    expect(await gone.json()).toMatchObject({ error: { code: 'unknown_chat_model' } });
  });

  test('within a stream is its last event', async () => {
    play(() => refuses(429));
    const events: unknown[] = await streamed();
    expect(events.at(-1)).toMatchObject({
      error: { type: 'server_error', code: 'chat_server_failed' },
    });
  });
});

test.each([
  ['no chat server', {}, 501],
  ['none that listens', { CHAT_URL: 'http://127.0.0.1:1/v1', CHAT_MODEL: 'any' }, 502],
])(
  'a service without keys and %s takes any key at /v1, and nowhere else',
  async (_, env, status) => {
    const server = await startServer({ env });
    try {
      const headers = { Authorization: 'Bearer sk-anything' };
      const models = await fetch(`${server.url}/v1/models`, { headers });
      expect(models.status).toBe(200);
      expect((await fetch(`${server.url}/projects`, { headers })).status).toBe(401);
      const json = { ...headers, 'Content-Type': 'application/json' };
      const agent = JSON.stringify({ agent: { name: analyst } });
      const own = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: agent };
      await fetch(`${server.url}/projects/default/agents`, own);
      const asked = { method: 'POST', headers: json, body: JSON.stringify(body()) };
      const answer = await checkedFetch(new Request(`${server.url}${ADDRESS}`, asked));
      expect(answer.status).toBe(status);
      const page = { ...headers, Origin: 'https://elsewhere.example' };
      const foreign = await fetch(`${server.url}${ADDRESS}`, {
        method: 'POST',
        headers: { ...page, 'Content-Type': 'application/json' },
        body: JSON.stringify(body()),
      });
      expect(foreign.status).toBe(403);
    } finally {
      await server.stop();
    }
  },
);
