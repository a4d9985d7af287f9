/** Agents as models of OpenAI's API, at `/v1`. */
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsIn } from '../../contract/event-data.js';
import { asArray, asRecord } from '../../contract/json-record.js';
import type { components } from '../../generated/openapi.js';
import {
  callChunk,
  calls,
  chunk,
  countedTokens,
  DONE,
  refuses,
  says,
  saysWithin,
  stream,
} from '../../testkit/chat/reply.js';
import type { ChatScript } from '../../testkit/chat/scripted-chat-server.js';
import { startServer } from '../../testkit/service/server-process.js';
import { checkedFetch } from '../checked-fetch.js';
import { AgentService } from './agent-service.js';

type Schemas = components['schemas'];
type Completion = Schemas['ChatCompletion'];
type Chunk = Schemas['ChatCompletionChunk'];
type Reply = Schemas['OpenaiResponse'];
type ResponseEvent = Schemas['OpenaiResponseEvent'];

let service: AgentService;
let analyst: string;
beforeAll(async () => {
  service = await AgentService.open({ CHAT_MODEL: 'llama3.1', CHAT_MODELS: 'qwen3' });
  await service.trainPrices();
  await service.create('skill', { name: 'prices', type: 'model', params: { model: 'prices' } });
  analyst = 'analyst';
  await service.create('agent', { name: analyst, skills: ['prices'], settings: { temperature: 0.2 } });
});
afterAll(() => service.close());

const QUESTION = { role: 'user', content: 'What does 0.7 carat cost?' };

/** The fields of a message that clients with their own types send as null. */
const UNSET = {
  annotations: null,
  audio: null,
  function_call: null,
  refusal: null,
  tool_calls: null,
  tool_call_id: null,
};

/** Fields that clients of either API send unasked, with values that change nothing. */
const DEFAULTS = {
  frequency_penalty: 0,
  presence_penalty: 0,
  top_p: 1,
  temperature: 1,
  top_logprobs: 0,
  parallel_tool_calls: true,
  store: false,
  service_tier: 'auto',
  tool_choice: 'auto',
  metadata: {},
  user: 'u',
  safety_identifier: 'u',
  prompt_cache_key: 'k',
  prompt_cache_options: { mode: 'implicit' },
  prompt_cache_retention: 'in_memory',
};
const CHAT_DEFAULTS = {
  n: 1,
  logprobs: false,
  seed: 1,
  stop: [],
  logit_bias: {},
  modalities: ['text'],
  response_format: { type: 'text' },
  reasoning_effort: 'medium',
  verbosity: 'medium',
  stream_options: { include_usage: null, include_obfuscation: null },
  prediction: null,
};
/** Fields that must be null. */
const CHAT_NULLS = { audio: {}, functions: [], function_call: 'auto', moderation: {}, web_search_options: {} };

const ADDRESS = '/v1/chat/completions';

const body = (fields: object = {}) => ({ model: analyst, messages: [QUESTION], ...fields });

const complete = (fields?: object): Promise<Completion> => service.json('POST', ADDRESS, body(fields));

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

/** Says a price in three tokens, or the first ones of them. */
const saysPrice: ChatScript = ({ body }) => saysWithin(body.max_tokens, 'About ', '2,700 ', 'dollars.');

/** Asks the agent's model with so many tokens, then says words. */
const usesPricesFor =
  (tokens: number): ChatScript =>
  (request, number) =>
    number === 0
      ? stream(
          callChunk({ index: 0, function: { name: 'prices', arguments: '{"carat":0.7}' } }),
          chunk({}, 'tool_calls'),
          countedTokens(tokens),
          DONE,
        )
      : saysPrice(request, number);

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** A part as chat servers take it. */
const PASSED_IMAGE = { type: 'image_url', image_url: { url: PIXEL } };

describe('a chat completion', () => {
  test.each([
    ['max_tokens', { max_tokens: 2 }],
    ['max_completion_tokens', { max_completion_tokens: 2 }],
    ['the smaller of both', { max_tokens: 9, max_completion_tokens: 2 }],
  ])('ends at %s, and says so, with the text of its stream', async (_, bound) => {
    service.chat.play(saysPrice);
    const { choices, usage } = await complete(bound);
    expect(choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'About 2,700 ' } });
    expect(usage?.completion_tokens).toBe(2);
    const chunks = await streamed(bound);
    expect(chunks.map(({ choices: [at] }) => at?.delta.content ?? '').join('')).toBe(choices[0]?.message.content);
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('length');
    expect(service.chat.sent().map(({ max_tokens }) => max_tokens)).toEqual([2, 2]);
  });

  test('bounds the tokens of all its requests together, and uses no tool without any left', async () => {
    service.chat.play(usesPricesFor(6));
    const cut = await complete({ max_tokens: 8 });
    expect(cut).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: 'About 2,700 ' } }],
      steps: [{ tool: 'prices' }],
      usage: { completion_tokens: 8 },
    });
    expect(service.chat.sent().map(({ max_tokens }) => max_tokens)).toEqual([8, 2]);
    service.chat.play(usesPricesFor(6));
    expect(await complete({ max_tokens: 6 })).toMatchObject({
      choices: [{ finish_reason: 'length', message: { content: '' } }],
      steps: [],
      usage: { completion_tokens: 6 },
    });
    expect(service.chat.sent()).toHaveLength(1);
  });

  test('cut within a call of a tool or before its first word is empty, and no failure', async () => {
    for (const started of [[callChunk({ index: 0, function: { arguments: '{"ca' } })], []]) {
      service.chat.play(() => stream(...started, chunk({}, 'length'), DONE));
      expect((await complete({ max_tokens: 1 })).choices).toMatchObject([
        { finish_reason: 'length', message: { content: '' } },
      ]);
    }
  });

  test('cut by the chat server alone says so in its text, too', async () => {
    service.chat.play(() => stream(chunk({ content: 'About' }), chunk({}, 'length'), DONE));
    expect((await complete()).choices).toMatchObject([
      { finish_reason: 'length', message: { content: expect.stringMatching(/^About.*cut off/s) } },
    ]);
  });

  test('bounds the tokens of a model that takes another name for it, and asks such a model once', async () => {
    await service.create('agent', { name: 'newer', model_name: 'qwen3' });
    const message = "'max_tokens' is not supported with this model. Use 'max_completion_tokens'.";
    const newer: ChatScript = ({ body }) =>
      body.max_tokens === undefined ? says('Hello.') : refuses(400, { message });
    service.chat.play(newer);
    for (const asked of [{ max_tokens: 20 }, { max_completion_tokens: 30 }]) {
      expect(await complete({ model: 'newer', ...asked })).toMatchObject({
        choices: [{ message: { content: 'Hello.' } }],
      });
    }
    expect(service.chat.sent().map((asked) => [asked.max_tokens, asked.max_completion_tokens])).toEqual([
      ...[
        [20, undefined],
        [undefined, 20],
        [undefined, 30],
      ],
    ]);
    await service.remove('/projects/default/agents/newer');
    // A server that refuses both names is asked for each, and one that names none for one.
    for (const [refused, requests] of [
      [message, 2],
      ['max_tokens must be at most 10', 1],
    ] as const) {
      service.chat.play(() => refuses(400, { message: refused }));
      const failed = await service.send('POST', ADDRESS, body({ max_tokens: 20 }));
      expect(await failed.json()).toMatchObject({ status: 502, detail: expect.stringContaining(refused) });
      expect(service.chat.sent()).toHaveLength(requests);
    }
  });

  test('passes images on, after the text of their message', async () => {
    service.chat.play(() => says('A heart.'));
    const image = { type: 'image_url', image_url: { url: PIXEL, detail: 'low' } };
    const parts = [image, { type: 'text', text: 'What is this?' }];
    await complete({
      messages: [
        { role: 'user', content: [image] },
        { role: 'assistant', content: 'A pixel.' },
        { role: 'user', content: 'And' },
        { role: 'user', content: parts },
      ],
    });
    expect(service.chat.sent()[0]?.messages.slice(1)).toEqual([
      { role: 'user', content: [PASSED_IMAGE] },
      { role: 'assistant', content: 'A pixel.' },
      { role: 'user', content: [{ type: 'text', text: 'And\n\nWhat is this?' }, PASSED_IMAGE] },
    ]);
  });

  test('has the text of its stream, and lists the tools of the agent as steps alone', async () => {
    service.chat.play(usesPrices);
    const whole = await complete();
    const [choice] = whole.choices;
    expect(choice).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Let me look.\n\nAbout 2,700 dollars.' },
    });
    expect(choice?.message).not.toHaveProperty('tool_calls');
    expect(whole.steps).toMatchObject([{ skill: 'prices', input: { carat: 0.7 }, error: null }]);
    expect(whole.usage).toEqual({ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 });

    service.chat.play(usesPrices);
    const chunks = await streamed();
    expect(chunks.map(({ choices: [at] }) => at?.delta.content ?? '').join('')).toBe(choice?.message.content);
    expect(JSON.stringify(chunks)).not.toContain('tool_calls');
    expect(chunks.at(-1)).toMatchObject({ choices: [{ finish_reason: 'stop' }], steps: [{ skill: 'prices' }] });
    expect(chunks.every((part) => part.usage === undefined)).toBe(true);
  });

  test.each([
    ['the openai package of Python', { ...UNSET, parsed: null }],
    ['LiteLLM', { ...UNSET, name: null, reasoning_content: null, provider_specific_fields: null }],
    ['clients of DeepSeek', { reasoning_content: 'Let me see.' }],
    ['clients of OpenRouter', { reasoning: 'Let me see.', reasoning_details: [{ index: 0 }] }],
  ])('goes on after an answer as %s sends it back', async (_, fields) => {
    service.chat.play(() => says('More.'));
    const said = { role: 'assistant', content: 'About 2,700.' };
    await complete({ messages: [{ ...UNSET, ...QUESTION }, { ...said, ...fields }, QUESTION] });
    expect(service.chat.sent()[0]?.messages.slice(1)).toEqual([QUESTION, said, QUESTION]);
  });

  test.each([
    ['Agents SDK', { role: 'assistant', refusal: null, annotations: [] }],
    ['a package with own types', { image_url: null, refusal: null, citations: null }],
  ])('goes on after parts as the %s holds them, and leaves out thoughts', async (_, fields) => {
    service.chat.play(() => says('More.'));
    const thought = { type: 'thinking', thinking: 'Let me see.', signature: 'x' };
    const content = [thought, { type: 'text', text: 'About 2,700.', ...fields }];
    await complete({ messages: [QUESTION, { role: 'assistant', content }, QUESTION] });
    expect(service.chat.sent()[0]?.messages.slice(1)).toEqual([
      QUESTION,
      { role: 'assistant', content: 'About 2,700.' },
      QUESTION,
    ]);
  });

  test.each([
    ['a text', ''],
    ['parts', []],
    ['null', null],
  ])('leaves out instructions that are empty, as %s', async (_, content) => {
    service.chat.play(() => says('Hello.'));
    await complete({ messages: [{ role: 'system', content }, { role: 'developer', content }, QUESTION] });
    await respond({
      input: [
        { role: 'system', content: content ?? '' },
        { role: 'user', content: ASKED },
      ],
    });
    const [chat, response] = service.chat.sent();
    service.chat.play(() => says('Hello.'));
    await complete();
    expect([chat?.messages, response?.messages]).toEqual([
      service.chat.sent()[0]?.messages,
      service.chat.sent()[0]?.messages,
    ]);
  });

  test('goes on after calls as clients gather them from a stream', async () => {
    service.chat.play(() => says('Three.'));
    const own = { name: 'stock', arguments: '{}' };
    const call = { id: 'call_0', type: 'function', function: own };
    const gathered = { ...call, index: 0, function: { ...own, parsed_arguments: {} } };
    await complete({
      messages: [
        QUESTION,
        { ...UNSET, role: 'assistant', content: '', tool_calls: [gathered] },
        { role: 'tool', tool_call_id: 'call_0', content: '3', tool_calls: null },
      ],
    });
    expect(service.chat.sent()[0]?.messages[2]).toMatchObject({ role: 'assistant', tool_calls: [call] });
  });

  test('leaves out an answer that ended before its first word', async () => {
    service.chat.play(() => says('Hello.'));
    const silent = ['', null, []].map((content) => ({ role: 'assistant', content }));
    await complete({ messages: [QUESTION, ...silent, { role: 'user', content: 'Well?' }] });
    expect(service.chat.sent()[0]?.messages.slice(1)).toEqual([
      { role: 'user', content: `${QUESTION.content}\n\nWell?` },
    ]);
  });

  test('takes what clients send by default', async () => {
    service.chat.play(() => says('Hello.'));
    const tool = { name: 'stock', parameters: null, description: null, strict: null };
    await complete({ ...DEFAULTS, ...CHAT_DEFAULTS, tools: [{ type: 'function', function: tool }] });
    const nulls = Object.keys({ ...DEFAULTS, ...CHAT_DEFAULTS, ...CHAT_NULLS });
    await complete(Object.fromEntries(nulls.map((name) => [name, null])));
  });

  test('reports the tokens of a stream on request', async () => {
    service.chat.play(() => says('Hello.'));
    const chunks = await streamed({ stream_options: { include_usage: true } });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 15 } });
    service.chat.play(() => says('Hello.'));
    expect((await streamed()).at(-1)).toMatchObject({ choices: [{ delta: {} }], steps: [] });
  });

  test('takes instructions and temperature beside those of the agent', async () => {
    service.chat.play(() => says('Hello.'));
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
    const [{ messages = [], temperature } = {}] = service.chat.sent();
    expect(temperature).toBe(1);
    expect(messages[0]?.content).toContain('Answer in verse.');
    expect(messages[1]).toMatchObject({ role: 'user', content: 'Hello\nyou.' });
  });

  test('offers the tools of the client, and goes on with their results', async () => {
    const tools = [{ type: 'function', function: { name: 'stock', parameters: { type: 'object', properties: {} } } }];
    service.chat.play(() => calls({ name: 'stock', arguments: { carat: 0.7 } }));
    const asked = await complete({ tools });
    const [choice] = asked.choices;
    expect(choice?.finish_reason).toBe('tool_calls');
    const call = { id: 'call_0', type: 'function', function: { name: 'stock', arguments: '{"carat":0.7}' } };
    expect(choice?.message.tool_calls).toEqual([call]);
    expect(asked.steps).toEqual([]);
    expect(service.chat.sent()[0]?.tools?.map((tool) => tool.function.name)).toEqual(['prices', 'stock']);

    service.chat.play(() => calls({ name: 'stock', arguments: { carat: 0.7 } }));
    const chunks = await streamed({ tools });
    const pieces = chunks.flatMap(({ choices: [at] }) => at?.delta.tool_calls ?? []);
    expect(pieces).toEqual([{ index: 0, ...call }]);

    service.chat.play(() => says('Three are left.'));
    const next = await complete({
      tools,
      messages: [
        QUESTION,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_0', content: '3' },
      ],
    });
    expect(next.choices[0]?.message.content).toBe('Three are left.');
    expect(service.chat.sent()[0]?.messages.slice(1)).toMatchObject([
      QUESTION,
      { role: 'assistant', tool_calls: [{ id: 'call_0' }] },
      { role: 'tool', tool_call_id: 'call_0', content: '<result>\n3\n</result>' },
    ]);
  });

  test.each([
    ['tool_choice is none', { tool_choice: 'none' }],
    [
      'Open WebUI asks for a title',
      { messages: [{ role: 'user', content: '### Task:\nGenerate a title.\n<chat_history>\nHello\n</chat_history>' }] },
    ],
    [
      'LibreChat asks for a title',
      {
        messages: [
          {
            role: 'user',
            content: 'Provide a concise, 5-word-or-less title for the conversation, using title case conventions.',
          },
        ],
      },
    ],
  ])('offers no tools when %s', async (_, fields) => {
    service.chat.play(() => says('Diamond prices'));
    await complete(fields);
    expect(service.chat.sent()[0]?.tools).toBeUndefined();
  });

  test('finds an agent by its project too', async () => {
    service.chat.play(() => says('Hello.'));
    expect(await complete({ model: `default/${analyst}` })).toMatchObject({ model: `default/${analyst}` });
    expect(await service.json('GET', '/v1/models')).toMatchObject({
      object: 'list',
      data: [{ id: 'default/analyst', object: 'model', owned_by: 'roster' }],
    });
    for (const id of ['default/analyst', 'analyst']) {
      const model = await service.json('GET', `/v1/models/${encodeURIComponent(id)}`);
      expect(model).toEqual({ id, object: 'model', created: expect.any(Number), owned_by: 'roster' });
    }
    for (const name of ['zoe', 'adam']) await service.send('POST', '/projects/default/agents', { agent: { name } });
    const names: string[] = [];
    let next: string | undefined = '/v1/models?limit=1';
    while (next !== undefined) {
      const page: Response = await service.send('GET', next);
      const { data } = asRecord(await page.json());
      names.push(...asArray(data).map((model) => String(asRecord(model)['id'])));
      next = /^<(.*)>; rel="next"$/.exec(page.headers.get('Link') ?? '')?.[1];
    }
    expect(names).toEqual(['default/analyst', 'default/zoe', 'default/adam']);
    const sorted = await service.json('GET', '/v1/models');
    expect(sorted).toMatchObject({ data: names.toSorted().map((id) => ({ id })) });
    for (const name of ['zoe', 'adam']) await service.remove(`/projects/default/agent/${name}`);
    const missing = await service.send('GET', '/v1/models/default%2Fnobody');
    expect(await missing.json()).toMatchObject({ status: 404, error: { code: 'agent_not_found' } });
    const nowhere = await service.send('GET', '/v1/models/nowhere%2Fanalyst');
    expect(await nowhere.json()).toMatchObject({ status: 404, error: { code: 'project_not_found' } });
    const stranger = await service.createKey({ owner: 'acme' });
    const own = { headers: { Authorization: `Bearer ${stranger}` } };
    expect(await service.json('GET', '/v1/models', undefined, own)).toMatchObject({ data: [] });
    expect((await service.send('POST', ADDRESS, body(), own)).status).toBe(404);
    expect((await service.send('GET', '/v1/models/analyst', undefined, own)).status).toBe(404);
  });
});

describe('an error', () => {
  const call = { id: 'call_0', type: 'function', function: { name: 'stock', arguments: '{}' } };
  const made = { role: 'assistant', tool_calls: [call] };
  test.each<[what: string, object, number, type: string, param: string | null, code: string]>([
    ['an unknown agent', { model: 'nobody' }, 404, 'not_found_error', null, 'agent_not_found'],
    [
      'an image at a private address',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'http://169.254.169.254/latest' } }] },
        ],
      },
      400,
      'invalid_request_error',
      'messages[0].content[0].image_url.url',
      'invalid_request',
    ],
    [
      'an image in instructions',
      { messages: [{ role: 'system', content: [PASSED_IMAGE] }, QUESTION] },
      400,
      'invalid_request_error',
      'messages[0].content[0]',
      'invalid_request',
    ],
    [
      '65 images',
      { messages: [{ role: 'user', content: Array.from({ length: 65 }, () => PASSED_IMAGE) }] },
      400,
      'invalid_request_error',
      'messages[0].content',
      'invalid_request',
    ],
    ['no tokens at all', { max_tokens: 0 }, 400, 'invalid_request_error', 'max_tokens', 'invalid_request'],
    ['two answers', { n: 2 }, 400, 'invalid_request_error', 'n', 'invalid_request'],
    ...Object.entries(CHAT_NULLS).map(([name, value]): [string, object, number, string, string, string] => {
      return [name, { [name]: value }, 400, 'invalid_request_error', name, 'invalid_request'];
    }),
    [
      'images in a field of Ollama',
      { messages: [{ ...QUESTION, images: [''] }] },
      400,
      'invalid_request_error',
      'messages[0].images',
      'invalid_request',
    ],
    [
      'an unknown field of a part of the user',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', file: 1 }] }] },
      400,
      'invalid_request_error',
      'messages[0].content[0].file',
      'invalid_request',
    ],
    [
      'an image that is null',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: null }] }] },
      400,
      'invalid_request_error',
      'messages[0].content[0]',
      'invalid_request',
    ],
    [
      'what the assistant said as sound',
      { messages: [{ role: 'assistant', content: null, audio: { id: 'audio_1' } }, QUESTION] },
      400,
      'invalid_request_error',
      'messages[0].audio',
      'invalid_request',
    ],
    [
      'a fault beside reasoning',
      { messages: [{ role: 'assistant', content: 5, reasoning_content: '' }, QUESTION] },
      400,
      'invalid_request_error',
      'messages[0].content',
      'invalid_request',
    ],
    [
      'another form of the answer',
      { response_format: { type: 'grammar' } },
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
          .map((n) => ({ type: 'function', function: { name: `t${n}`, parameters: { x: 'x'.repeat(65_000) } } }))
          .concat([{ type: 'function', function: { name: 't3', parameters: { x: 'x'.repeat(3000) } } }]),
      },
      400,
      'invalid_request_error',
      'tools',
      'invalid_request',
    ],
  ])('of %s says where and how to fix it, for both kinds of clients', async (_, fields, status, type, param, code) => {
    const response = await service.send('POST', ADDRESS, body(fields));
    expect(response.status).toBe(status);
    const message = expect.stringMatching(/\w/);
    expect(await response.json()).toMatchObject({ status, error: { message, type, param, code } });
  });

  test('of an address that is not served is one of theirs too', async () => {
    const response = await service.send('POST', '/v1/embeddings', {});
    expect(await response.json()).toMatchObject({
      status: 404,
      error: { type: 'not_found_error', message: expect.stringContaining('/v1/responses') },
    });
    const without = await service.send('POST', '/chat/completions', {});
    expect(await without.json()).toMatchObject({
      status: 404,
      detail: expect.stringContaining('base URL of its clients ends in /v1'),
    });
  });

  test('of a key, of a wrong scope and of the chat server has its kind', async () => {
    const wrong = { headers: { Authorization: 'Bearer roster_x_y' } };
    const unknown = await service.send('POST', ADDRESS, body(), wrong);
    expect(await unknown.json()).toMatchObject({ error: { type: 'authentication_error' } });
    const reader = await service.createKey({ scopes: ['read'] });
    const own = { headers: { Authorization: `Bearer ${reader}` } };
    const refused = await service.send('POST', ADDRESS, body(), own);
    expect(await refused.json()).toMatchObject({ error: { type: 'permission_error' } });
    // The last one stands for a wait that was too long; `chat-bounds.test.ts` has the waits themselves.
    for (const reply of [refuses(429, undefined, { 'Retry-After': '20' }), { end: 'cut' } as const, refuses(504)]) {
      service.chat.play(() => reply);
      const failed = await service.send('POST', ADDRESS, body());
      expect(failed.status).toBe(502);
      expect(await failed.json()).toMatchObject({ error: { type: 'server_error' } });
    }
    service.chat.play(() => refuses(429, undefined, { 'Retry-After': '20' }));
    const busy = await service.send('POST', RESPONSES, { model: analyst, input: ASKED });
    expect([busy.status, busy.headers.get('Retry-After')]).toEqual([502, '20']);
    await service.create('agent', { name: 'older', model_name: 'gone' });
    const unasked = await service.send('POST', RESPONSES, { model: 'older', input: ASKED });
    expect(await unasked.json()).toMatchObject({ error: { code: 'unknown_chat_model' } });
    const gone = await service.send('POST', ADDRESS, body({ model: 'older' }));
    expect(gone.status).toBe(409);
    expect(await gone.json()).toMatchObject({ error: { code: 'unknown_chat_model' } });
  });

  test('within a stream is its last event, and names the request', async () => {
    service.chat.play(() => refuses(429));
    const headers = { 'X-Request-Id': 'chat-429' };
    const text = await service.text('POST', ADDRESS, body({ stream: true }), { headers });
    expect(eventsIn(text).at(-1)).toMatchObject({
      error: { type: 'server_error', code: 'chat_server_failed', request_id: 'chat-429' },
    });
  });
});

const RESPONSES = '/v1/responses';
const ASKED = 'What does 0.7 carat cost?';

const respond = (fields: object = {}, init?: RequestInit): Promise<Reply> =>
  service.json('POST', RESPONSES, { model: analyst, input: ASKED, ...fields }, init);

async function respondInEvents(fields: object = {}, init?: RequestInit) {
  const asked = { model: analyst, input: ASKED, stream: true, ...fields };
  const text = await service.text('POST', RESPONSES, asked, init);
  expect(text).toMatch(/^event: response\.created\n/);
  expect(text.endsWith('\n\ndata: [DONE]\n\n')).toBe(true);
  const events = eventsIn<ResponseEvent>(text);
  expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
  return events;
}

/** Returns all that an agent says in a response. */
const textOf = ({ output }: Reply): string =>
  output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map(({ text }) => text)
    .join('');

const STOCK = {
  type: 'function',
  name: 'stock',
  parameters: { type: 'object', properties: { carat: { type: 'number' } } },
};

/** Fields that must be null. */
const RESPONSE_NULLS = { conversation: 'conv_1', prompt: { id: 'pmpt_1' }, context_management: [], moderation: {} };

describe('a response', () => {
  const called = { type: 'function_call', call_id: 'call_0', name: 'stock', arguments: '{}' };
  const answered = { type: 'function_call_output', call_id: 'call_1', output: '' };
  const asking = { role: 'user', content: ASKED };

  test('lists tools of the agent as separate items, and predictions with their intervals', async () => {
    let predicted = 0;
    service.chat.play((request, number) => {
      const result = request.body.messages.at(-1)?.content ?? '';
      predicted = Number(/"value":([\d.]+)/.exec(`${result}`)?.[1]);
      if (number === 0) return usesPrices(request, number);
      return says('About ', `${Math.round(predicted).toLocaleString('en')} dollars.`);
    });
    const whole = await respond({ metadata: { place: 'shop' } });
    expect(whole).toMatchObject({
      object: 'response',
      status: 'completed',
      model: analyst,
      temperature: 0.2,
      store: true,
      metadata: { place: 'shop' },
      tool_choice: 'auto',
      tools: [],
      error: null,
      usage: { input_tokens: 12, output_tokens: 3, total_tokens: 15 },
      output: [
        { type: 'message', phase: 'commentary', content: [{ text: 'Let me look.' }] },
        {
          type: 'roster:tool_call',
          status: 'completed',
          tool: 'prices',
          error: null,
          input: { carat: 0.7 },
          result: expect.stringContaining('"interval"'),
        },
        { type: 'message', phase: 'final_answer' },
      ],
    });
    const last = whole.output[2];
    const [part] = last?.type === 'message' ? last.content : [];
    const [annotation] = part?.annotations ?? [];
    expect(annotation).toMatchObject({
      type: 'roster:prediction',
      skill: 'prices',
      target: 'price',
      value: predicted,
      interval: { confidence: 0.9 },
    });
    expect(part?.text.slice(annotation?.start_index, annotation?.end_index)).toBe(
      Math.round(predicted).toLocaleString('en'),
    );

    service.chat.play(usesPrices);
    const plain = await respond();
    service.chat.play(usesPrices);
    const events = await respondInEvents();
    const end = events.at(-1);
    const streamedWhole = end && 'response' in end ? end.response : undefined;
    const deltas = events.map((event) => (event.type === 'response.output_text.delta' ? event.delta : ''));
    expect(deltas.join('')).toBe('Let me look.\n\nAbout 2,700 dollars.');
    expect(textOf(plain)).toBe(deltas.join(''));
    expect(streamedWhole && textOf(streamedWhole)).toBe(deltas.join(''));
    const item = ['response.output_item.added', 'response.output_item.done'];
    const [added, done] = item;
    const text = [
      ...[added, 'response.content_part.added', 'response.output_text.delta'],
      ...['response.output_text.done', 'response.content_part.done', done],
    ];
    // Pieces of a text that arrive at once are sent at once.
    const types = events.map(({ type }) => type);
    expect(types.filter((type, at) => type !== types[at - 1])).toEqual([
      ...['response.created', 'response.in_progress', ...text, ...item],
      ...text.toSpliced(3, 0, 'response.output_text.annotation.added'),
      'response.completed',
    ]);
  });

  test('ends at max_output_tokens as incomplete, with the text of its stream, and is continued', async () => {
    service.chat.play(saysPrice);
    const whole = await respond({ max_output_tokens: 2 });
    expect(whole).toMatchObject({
      status: 'incomplete',
      completed_at: null,
      max_output_tokens: 2,
      error: null,
      incomplete_details: { reason: 'max_output_tokens' },
      usage: { output_tokens: 2 },
      output: [{ status: 'incomplete', content: [{ text: 'About 2,700 ' }] }],
    });
    const events = await respondInEvents({ max_output_tokens: 2 });
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { status: 'incomplete', output: [{}] },
    });
    service.chat.play(() => says('dollars.'));
    const next = await respond({ previous_response_id: whole.id, input: 'Go on.' });
    expect(next).toMatchObject({ status: 'completed', max_output_tokens: null });
    expect(service.chat.sent()[0]?.messages.at(-2)).toEqual({ role: 'assistant', content: 'About 2,700 ' });
    service.chat.play(usesPricesFor(6));
    expect(await respond({ max_output_tokens: 6 })).toMatchObject({ status: 'incomplete', output: [] });
  });

  test('passes images on, and keeps them for the responses that continue it', async () => {
    service.chat.play(() => says('A heart.'));
    const content = [
      { type: 'input_text', text: 'What is this?' },
      { type: 'input_image', image_url: PIXEL, detail: 'auto' },
    ];
    const first = await respond({ input: [{ type: 'message', role: 'user', content }] });
    await respond({ previous_response_id: first.id, input: 'And its colour?' });
    const asked = { role: 'user', content: [{ type: 'text', text: 'What is this?' }, PASSED_IMAGE] };
    expect(service.chat.sent().map(({ messages }) => messages[1])).toEqual([asked, asked]);
  });

  test('offers the tools of the client, and goes on with their results, with or without a store', async () => {
    service.chat.play(() => calls({ name: 'stock', arguments: { carat: 0.7 } }));
    const asked = await respond({ tools: [STOCK] });
    const call = {
      type: 'function_call',
      status: 'completed',
      call_id: 'call_0',
      name: 'stock',
      arguments: '{"carat":0.7}',
    };
    expect(asked.output).toMatchObject([call]);
    expect(asked.tools).toMatchObject([{ ...STOCK, description: null, strict: null }]);

    service.chat.play(() => calls({ name: 'stock', arguments: { carat: 0.7 } }));
    const events = await respondInEvents({ tools: [STOCK], store: false });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'response.function_call_arguments.done', arguments: '{"carat":0.7}' }),
    );

    const result = { type: 'function_call_output', call_id: 'call_0', output: '</result> 3' };
    const seen = [
      { role: 'user', content: ASKED },
      { role: 'assistant', tool_calls: [{ id: 'call_0', function: { name: 'stock' } }] },
      { role: 'tool', tool_call_id: 'call_0', content: '<result>\n</ result> 3\n</result>' },
    ];
    for (const fields of [
      { previous_response_id: asked.id, input: [result] },
      { input: [{ role: 'user', content: ASKED }, ...asked.output, result], store: false },
    ]) {
      service.chat.play(() => says('Three are left.'));
      const next = await respond({ tools: [STOCK], ...fields });
      expect(textOf(next)).toBe('Three are left.');
      expect(service.chat.sent()[0]?.messages.slice(1)).toMatchObject(seen);
    }
  });

  test.each([
    ['any', 'required', 'required', 'required'],
    [
      'a named',
      { type: 'function', name: 'stock' },
      { type: 'function', function: { name: 'stock' } },
      { type: 'function', function: { name: 'stock' } },
    ],
  ])('forces %s tool in the first request, as a chat does', async (_, own, ofChat, passedOn) => {
    const scripted: ChatScript = (_request, number) =>
      number === 0 ? calls({ name: 'prices', arguments: { carat: 0.7 } }) : says('About 2,700.');
    service.chat.play(scripted);
    expect(await respond({ tools: [STOCK], tool_choice: own })).toMatchObject({ tool_choice: own });
    expect(service.chat.sent().map((request) => request.tool_choice)).toEqual([passedOn, undefined]);
    service.chat.play(scripted);
    const { type, ...tool } = STOCK;
    await complete({ tools: [{ type, function: tool }], tool_choice: ofChat });
    expect(service.chat.sent().map((request) => request.tool_choice)).toEqual([passedOn, undefined]);
  });

  test('goes on after items as clients send them back, and after those of other servers', async () => {
    service.chat.play(usesPrices);
    const { output } = await respond();
    // The openai package of Python takes an item that it does not know for a message.
    const items = output.map((item) => ({ role: null, content: null, phase: null, ...item }));
    const part = {
      type: 'output_text',
      text: 'About 2,700.',
      annotations: [],
      parsed: null,
      refusal: null,
      image_url: null,
    };
    const own = { ...called, async_: null, caller: null, namespace: null, parsed_arguments: {} };
    const reasoning = [{ type: 'reasoning_text', text: 'Let me see.' }];
    const foreign = [
      { type: 'reasoning', id: 'rs_1', summary: [], content: reasoning, encrypted_content: null },
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search' } },
      { role: 'assistant', content: [...reasoning, part], other: null },
      { role: 'assistant', content: null },
    ];
    service.chat.play(() => says('More.'));
    const result = { ...answered, call_id: 'call_0', output: '3', role: null, name: null };
    const input = [asking, ...items, asking, ...foreign, asking, own, result];
    const { id } = await respond({ input });
    const seen = service.chat.sent()[0]?.messages.slice(1);
    expect(seen).toMatchObject([
      ...[asking, { content: 'Let me look.\n\n\n\nAbout 2,700 dollars.' }, asking],
      ...[{ role: 'assistant', content: 'About 2,700.' }, asking],
      ...[{ tool_calls: [{ id: 'call_0' }] }, { role: 'tool' }],
    ]);
    service.chat.play(() => says('Enough.'));
    await respond({ previous_response_id: id });
    expect(service.chat.sent()[0]?.messages.slice(1, -2)).toEqual(seen);
  });

  test('takes what clients send by default', async () => {
    service.chat.play(() => says('Hello.'));
    const text = { format: { type: 'text' }, verbosity: 'medium' };
    const own = { reasoning: { effort: null, summary: null }, truncation: 'disabled', include: [] };
    await respond({ ...DEFAULTS, ...own, text, background: false, max_tool_calls: 9 });
    const nulls = Object.keys({ ...DEFAULTS, ...own, text, ...RESPONSE_NULLS });
    await respond(Object.fromEntries(nulls.map((name) => [name, null])));
  });

  test('is continued by its identifier, twice if need be, with its own instructions only', async () => {
    service.chat.play(usesPrices);
    const first = await respond({ instructions: 'Answer in verse.' });
    for (const question of ['And 0.8?', 'And 0.9?']) {
      service.chat.play(() => says('More.'));
      const next = await respond({ previous_response_id: first.id, input: question });
      expect(next.previous_response_id).toBe(first.id);
      const [system, ...messages] = service.chat.sent()[0]?.messages ?? [];
      expect(system?.content).not.toContain('verse');
      expect(messages).toEqual([
        { role: 'user', content: ASKED },
        { role: 'assistant', content: 'Let me look.\n\n\n\nAbout 2,700 dollars.' },
        { role: 'user', content: question },
      ]);
      service.chat.play(() => says('Enough.'));
      const input = [{ role: 'user', content: [{ type: 'input_text', text: 'And then?' }] }];
      await respond({ previous_response_id: next.id, input });
      expect(service.chat.sent()[0]?.messages.slice(3)).toMatchObject([
        { content: question },
        { content: 'More.' },
        { content: 'And then?' },
      ]);
    }
  });

  test('can be read and deleted, and then continued no more', async () => {
    service.chat.play(() => says('Hello.'));
    const kept = await respond();
    const at = `${RESPONSES}/${kept.id}`;
    const read = await service.send('GET', at);
    const etag = read.headers.get('ETag') ?? '';
    expect(await read.json()).toEqual(kept);
    const known = await service.send('GET', at, undefined, { headers: { 'If-None-Match': etag } });
    expect(known.status).toBe(304);
    const another = await service.send('GET', at, undefined, { headers: { 'If-Match': '"another"' } });
    expect(another.status).toBe(412);
    const changed = await service.send('DELETE', at, undefined, { headers: { 'If-Match': '"another"' } });
    expect(changed.status).toBe(412);
    const next = await respond({ previous_response_id: kept.id });
    const deleted = await service.send('DELETE', at, undefined, { headers: { 'If-Match': etag } });
    expect(deleted.status).toBe(204);
    for (const method of ['GET', 'DELETE']) {
      expect(await (await service.send(method, at)).json()).toMatchObject({
        status: 404,
        error: { type: 'not_found_error', code: 'response_not_found' },
      });
    }
    // Those that continue it can no longer be read as a conversation.
    const body = { model: analyst, input: 'More?', previous_response_id: next.id };
    expect((await service.send('POST', RESPONSES, body)).status).toBe(404);
  });

  test.each([
    ['tool_choice is none', { tool_choice: 'none' }],
    ['Open WebUI asks for a title', { input: '### Task:\nGenerate a title.\n<chat_history>\nHello\n</chat_history>' }],
  ])('offers no tools when %s', async (_, fields) => {
    service.chat.play(() => says('Diamond prices'));
    await respond(fields);
    expect(service.chat.sent()[0]?.tools).toBeUndefined();
  });

  test('that fails in a stream says so in two events, names the request, and is not kept', async () => {
    service.chat.play(() => refuses(429));
    const headers = { 'X-Request-Id': 'response-429' };
    const events = await respondInEvents({}, { headers });
    const code = 'chat_server_failed';
    expect(events.slice(2)).toMatchObject([
      { type: 'error', error: { code, request_id: 'response-429' } },
      { type: 'response.failed', response: { status: 'failed', store: false, error: { code } } },
    ]);
    const [begun] = events;
    const id = begun && 'response' in begun ? begun.response.id : '';
    expect((await service.send('GET', `${RESPONSES}/${id}`)).status).toBe(404);
    service.chat.play(() => refuses(429));
    const plain = await service.send('POST', RESPONSES, { model: analyst, input: ASKED });
    expect(plain.status).toBe(502);
  });

  test('is not kept for a client that goes away, nor when its agent is deleted meanwhile', async () => {
    const leaving = new AbortController();
    service.chat.play(async () => {
      leaving.abort();
      return says('Too late.');
    });
    const asked = { model: analyst, input: ASKED };
    const { signal } = leaving;
    await expect(service.send('POST', RESPONSES, asked, { signal })).rejects.toThrow();

    await service.create('agent', { name: 'passing' });
    service.chat.play(async () => {
      await service.remove('/projects/default/agents/passing');
      return says('Still here.');
    });
    const last = await respond({ model: 'passing' });
    expect(textOf(last)).toBe('Still here.');
    const more = { model: 'passing', input: 'More?', previous_response_id: last.id };
    const gone = await service.send('POST', RESPONSES, more);
    expect(await gone.json()).toMatchObject({ error: { code: 'agent_not_found' } });
    // Another agent of the project goes on.
    service.chat.play(() => says('Here.'));
    expect(textOf(await respond({ previous_response_id: last.id }))).toBe('Here.');
  });

  test('of another owner or project, or that was not kept, is unknown', async () => {
    service.chat.play(() => says('Hello.'));
    const { id } = await respond();
    const loose = await respond({ store: false });
    expect(loose.store).toBe(false);
    const nowhere = await service.send('GET', '/v1/models/nowhere%2Fanalyst');
    expect(await nowhere.json()).toMatchObject({ status: 404, error: { code: 'project_not_found' } });
    const stranger = await service.createKey({ owner: 'acme' });
    const own = { headers: { Authorization: `Bearer ${stranger}` } };
    await service.json('POST', '/projects/default/agents', { agent: { name: analyst } }, own);
    await service.json('POST', '/projects', { project: { name: 'branch' } });
    await service.json('POST', '/projects/branch/agents', { agent: { name: 'clerk' } });
    const more = (previous: string, init?: RequestInit, model = analyst) => {
      const body = { model, input: 'More?', previous_response_id: previous };
      return service.send('POST', RESPONSES, body, init);
    };
    for (const refused of [
      await more(id, own),
      await more(id, undefined, 'branch/clerk'),
      await more(loose.id),
      await more("resp_'or'1'='1"),
    ]) {
      expect(await refused.json()).toMatchObject({
        status: 404,
        error: { code: 'previous_response_not_found', param: 'previous_response_id' },
      });
    }
    expect((await service.send('GET', `${RESPONSES}/${id}`, undefined, own)).status).toBe(404);
    expect((await service.send('DELETE', `${RESPONSES}/${id}`, undefined, own)).status).toBe(404);
    expect((await service.send('GET', `${RESPONSES}/${id}`)).status).toBe(200);
  });

  test.each<[what: string, object, param: string | null]>([
    ['no question', { input: '' }, 'input'],
    ['1,001 items', { input: Array.from({ length: 1001 }, () => asking) }, 'input'],
    ['10,000 items', { input: Array.from({ length: 10_000 }, () => asking) }, null],
    [
      'an image at an address',
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png' }] }] },
      'input[0].content[0].image_url',
    ],
    [
      'an image of another format',
      {
        input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'data:image/svg+xml;base64,PHN2Zz4=' }] }],
      },
      'input[0].content[0].image_url',
    ],
    [
      'an image without its data',
      { input: [{ role: 'user', content: [{ type: 'input_image' }] }] },
      'input[0].content[0]',
    ],
    [
      'an image as a result',
      {
        input: [
          ...[asking, called],
          { ...answered, call_id: 'call_0', output: [{ type: 'input_image', image_url: PIXEL }] },
        ],
      },
      'input[2].output[0]',
    ],
    ['half a token', { max_output_tokens: 0.5 }, 'max_output_tokens'],
    ['a reference to an item', { input: [{ type: 'item_reference' }] }, 'input[0].type'],
    ['an unknown field of the user', { input: [{ ...asking, images: [] }] }, 'input[0].images'],
    [
      'an unknown field of a part',
      { input: [{ role: 'user', content: [{ type: 'input_text', text: 'x', file: 1 }] }] },
      'input[0].content[0].file',
    ],
    ['a message without a role', { input: [{ content: ASKED }] }, 'input[0].role'],
    ['a message without content', { input: [{ role: 'user' }] }, 'input[0].content'],
    ['a call without a name', { input: [{ ...called, name: undefined }] }, 'input[0].name'],
    ['a call without a result', { input: [asking, called, asking] }, 'input[1].call_id'],
    ['a result without a call', { input: [asking, answered] }, 'input[1].call_id'],
    ['an end by the assistant', { input: [{ role: 'assistant', content: 'Hello.' }] }, 'input'],
    ['a huge result', { input: [asking, called, { ...answered, output: 'x'.repeat(100_001) }] }, 'input[2].output'],
    [
      'a huge result in parts',
      {
        input: [
          ...[asking, called],
          {
            ...answered,
            call_id: 'call_0',
            output: [1, 2].map(() => ({ type: 'input_text', text: 'x'.repeat(50_001) })),
          },
        ],
      },
      'input[2].output',
    ],
    ['the background', { background: true }, 'background'],
    ['another form of the answer', { text: { format: { type: 'grammar' } } }, 'text.format.type'],
    ['a forced tool that is none', { tool_choice: { type: 'function', name: 'x' } }, 'tool_choice'],
    ['a choice of another kind', { tool_choice: { type: 'allowed_tools' } }, 'tool_choice'],
    ['a tool of another kind', { tools: [{ type: 'web_search' }] }, 'tools[0].name'],
    ['a tool that the agent has', { tools: [{ ...STOCK, name: 'prices' }] }, 'tools[0].name'],
    ['probabilities of words', { include: ['message.output_text.logprobs'] }, 'include[0]'],
    ...Object.entries(RESPONSE_NULLS).map(([name, value]): [string, object, string] => {
      return [name, { [name]: value }, name];
    }),
    ['an unknown field', { seed: 1 }, 'seed'],
  ])('is refused for %s, with the field', async (_, fields, param) => {
    const body = { model: analyst, input: ASKED, ...fields };
    const refused = await service.send('POST', RESPONSES, body);
    expect(await refused.json()).toMatchObject({
      status: 400,
      error: { message: expect.stringMatching(/\w/), type: 'invalid_request_error', param },
    });
  });

  test('is refused for history of the client beside that of the service', async () => {
    service.chat.play(() => says('Hello.'));
    const { id: previous_response_id } = await respond();
    for (const [history, param] of [
      [[asking, { role: 'assistant', content: 'Hello.' }, asking], 'input[1]'],
      [[called, { ...answered, call_id: 'call_0' }], 'input[0]'],
    ] as const) {
      const body = { model: analyst, previous_response_id, input: history };
      const refused = await service.send('POST', RESPONSES, body);
      expect(await refused.json()).toMatchObject({ status: 400, error: { param } });
    }
  });

  test('is refused for JSON that is deep or large', async () => {
    const deep = `{"model":"${analyst}","input":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const large = JSON.stringify({ model: analyst, input: 'x', metadata: 'x'.repeat(2 ** 20) });
    for (const [text, status] of [
      [deep, 400],
      [large, 413],
    ] as const) {
      const refused = await service.send('POST', RESPONSES, undefined, { body: text });
      expect(await refused.json()).toMatchObject({ status, error: { message: expect.any(String) } });
    }
  });

  test('is refused over WebSocket, in words', async () => {
    const { port } = new URL(service.server.url);
    const socket = connect(Number(port), '127.0.0.1');
    const key = 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    socket.end(
      `GET ${RESPONSES} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${key}\r\n`,
    );
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 405 /);
    expect(answer).toContain('The service does not speak the protocol websocket.');
  });
});

test.each([
  ['no chat server', {}, 501],
  ['none that listens', { CHAT_URL: 'http://127.0.0.1:1/v1', CHAT_MODEL: 'any' }, 502],
])('a service without keys and %s takes any key at /v1, and nowhere else', async (_, env, status) => {
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
    const responded = await checkedFetch(
      new Request(`${server.url}${RESPONSES}`, { ...asked, body: JSON.stringify({ model: analyst, input: ASKED }) }),
    );
    expect(responded.status).toBe(status);
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
});
