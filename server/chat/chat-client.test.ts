import { describe, expect, it } from 'vitest';
import { ask, QUESTION, scripted, streamed } from '../../testkit/chat/ask.js';
import {
  callChunk,
  calls,
  chunk,
  DONE,
  document,
  event,
  says,
  stream,
  usageChunk,
} from '../../testkit/chat/reply.js';
import { ChatClient } from './chat-client.js';

const PRICE = { name: 'predict_price', arguments: '{"carat":1}' };

describe('a chat client', () => {
  it('sends the least, to the path below the base URL, with its key', async () => {
    const server = await scripted([says('Hello')]);
    await streamed(new ChatClient({ url: `${server.url}/`, key: 'sk-1' }));
    const [request] = server.requests;
    expect(request?.path).toBe('/v1/chat/completions');
    expect(request?.headers.authorization).toBe('Bearer sk-1');
    expect(request?.body).toEqual({
      model: 'llama3.2',
      messages: [{ role: 'user', content: 'What does it cost?' }],
      stream: true,
    });
  });

  it('sends no Authorization without a key', async () => {
    const server = await scripted([says('Hello')]);
    await streamed(new ChatClient({ url: server.url, key: '' }));
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('repairs earlier tool calls that would make a server refuse the chat', async () => {
    const server = await scripted([says('Hello')]);
    const call = (name: string, text: string) => ({ id: 'a', name, arguments: text });
    await streamed(new ChatClient({ url: server.url }), {
      ...QUESTION,
      messages: [
        {
          role: 'assistant',
          content: null,
          tool_calls: [call('predict price!', '{"carat":'), call('', ''), call('sum', '{"a": 1}')],
        },
        { role: 'tool', tool_call_id: 'a', content: '4000' },
        { role: 'assistant', content: null, tool_calls: [] },
      ],
    });
    const [asked, , emptied] = server.requests[0]?.body.messages ?? [];
    expect(asked).toMatchObject({
      tool_calls: [
        {
          function: { name: 'predict_price_', arguments: '{"invalid_arguments":"{\\"carat\\":"}' },
        },
        { function: { name: '_', arguments: '{}' } },
        { function: { name: 'sum', arguments: '{"a": 1}' } },
      ],
    });
    expect(emptied).toEqual({ role: 'assistant', content: '' });
  });

  it('yields text as it arrives, and returns it as a whole with usage and finish reason', async () => {
    let proceed = () => {};
    const asked = new Promise<void>((resolve) => {
      proceed = resolve;
    });
    async function* body() {
      yield chunk({ role: 'assistant', content: 'About ' });
      await asked;
      yield chunk({ content: '4,000' });
      yield chunk({}, 'stop');
      yield usageChunk({ prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 });
      yield DONE;
    }
    const { url } = await scripted([{ body: body() }]);
    const answer = new ChatClient({ url }).stream(QUESTION, new AbortController().signal);
    expect(await answer.next()).toEqual({ done: false, value: 'About ' });
    proceed();
    let last = await answer.next();
    let text = '';
    while (!last.done) {
      text += last.value;
      last = await answer.next();
    }
    expect(text).toBe('4,000');
    expect(last.value).toEqual({
      text: 'About 4,000',
      toolCalls: [],
      usage: { prompt_tokens: 12, completion_tokens: 3, total_tokens: 15 },
      finishReason: 'stop',
    });
  });

  it('uses a connection again after an answer', async () => {
    const server = await scripted([says('Hello')]);
    const client = new ChatClient({ url: server.url });
    // The end of an answer arrives a little after its last event.
    const reuses = async () => {
      await streamed(client);
      return server.requests.length - new Set(server.requests.map((r) => r.clientPort)).size;
    };
    await expect.poll(reuses).toBeGreaterThan(0);
  });
});

describe('a chat client reads', () => {
  const texts: Record<string, ReturnType<typeof stream>> = {
    'a stream without [DONE]': stream(chunk({ content: '4,000' }), chunk({}, 'stop')),
    'a stream without a finish reason': stream(chunk({ content: '4,000' }), DONE),
    'empty finish reasons': stream(
      'data: {"choices":[{"delta":{"content":"4,"},"finish_reason":""}]}\n\n',
      chunk({ content: '000' }, 'stop'),
      DONE,
    ),
    'a last event without its blank line': stream(
      chunk({ content: '4,000' }),
      chunk({}, 'stop').trimEnd(),
    ),
    'placeholders, null deltas and chunks without choices': stream(
      event({ choices: [], prompt_filter_results: [] }),
      chunk(null),
      chunk({ role: 'assistant', content: null, tool_calls: [] }),
      event({ choices: [{ index: 0 }] }),
      event({ choices: null }),
      event({ error: null, choices: [{ index: 0, delta: { content: '4,000' } }] }),
      chunk(null, 'stop'),
      DONE,
    ),
    'keep-alives': stream(
      '\n\n: ping\n\n',
      'data: ping\n\n',
      'data:\n\n',
      'event: ping\nid: 1\nretry: 5\n\n',
      chunk({ content: '4,000' }),
      ': ping\n\n',
      chunk({}, 'stop'),
      DONE,
    ),
    'content in parts': stream(
      chunk({ content: [{ type: 'text', text: '4,' }, '00', { type: 'image_url' }] }),
      chunk({ content: [{ type: 'output_text', text: '0' }] }, 'stop'),
      DONE,
    ),
    'lines that end in CR LF, after a byte order mark': stream(
      '\uFEFF',
      `${chunk({ content: '4,000' })}${chunk({}, 'stop')}${DONE}`.replaceAll('\n', '\r\n'),
    ),
    'data in several lines': stream(
      'data: {"choices":[{"delta":\ndata: {"content":"4,000"}}]}\n\n',
      DONE,
    ),
    'only the first choice': stream(
      event({
        choices: [
          { index: 1, delta: { content: 'no' }, finish_reason: 'stop' },
          { index: 0, delta: { content: '4,000' }, finish_reason: 'stop' },
        ],
      }),
      DONE,
    ),
    'a whole message in the last chunk': stream(
      chunk({ content: '4,000' }),
      event({ choices: [{ message: { content: '4,000' }, finish_reason: 'stop' }] }),
      DONE,
    ),
    'a whole message instead of deltas': stream(
      event({ choices: [{ message: { content: '4,000' }, finish_reason: 'stop' }] }),
    ),
    'a refusal of the model': stream(chunk({ refusal: '4,000' }), chunk({}, 'stop'), DONE),
    'an answer that is not streamed': document({
      choices: [{ index: 0, message: { role: 'assistant', content: '4,000' } }],
    }),
    'events of another media type': {
      ...says('4,000'),
      headers: { 'Content-Type': 'application/json' },
    },
    'fields of reasoning, which it drops': stream(
      chunk({ reasoning_content: 'Diamonds are dear.' }),
      chunk({ reasoning: 'Diamonds are dear.', content: '' }),
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Dear.' }] }] }),
      chunk({ content: '4,000' }, 'stop'),
      DONE,
    ),
    'reasoning in tags, which it drops': says(
      '\n<th',
      'ink>Diamonds are <b>dear</b>.</',
      'think',
      '>\n\n',
      '4,000',
    ),
  };
  for (const [name, reply] of Object.entries(texts)) {
    it(name, async () => {
      const { pieces, answer } = await ask(reply);
      expect(pieces.join('')).toBe('4,000');
      expect(answer).toMatchObject({ text: '4,000', toolCalls: [] });
    });
  }

  it('tags of reasoning within the text as text', async () => {
    const { answer } = await ask(says('<', 'b>bold</b> <think>not</think>'));
    expect(answer.text).toBe('<b>bold</b> <think>not</think>');
  });

  it('text that could have become a tag', async () => {
    const { pieces, answer } = await ask(says('<thin'));
    expect(pieces).toEqual(['<thin']);
    expect(answer.text).toBe('<thin');
  });

  const end = [chunk({}, 'tool_calls'), DONE];
  const toolCalls: Record<string, ReturnType<typeof stream>> = {
    'tool calls in pieces': calls({ name: 'predict_price', arguments: { carat: 1 } }),
    'tool calls without an index': stream(
      callChunk({ id: 'a', type: 'function', function: { ...PRICE, arguments: '{"carat"' } }),
      callChunk({ id: 'a', function: { arguments: ':1' } }),
      callChunk({ function: { arguments: '}' } }),
      ...end,
    ),
    'tool calls with nothing but a function': stream(callChunk({ function: PRICE }), ...end),
    'tool calls with null for what is missing': stream(
      callChunk({ index: null, id: null, type: null, function: PRICE }),
      callChunk({ index: null, id: null, function: { name: null, arguments: '' } }),
      ...end,
    ),
    'names that are repeated': stream(
      callChunk({ index: 0, id: 'a', function: { name: 'predict', arguments: '' } }),
      callChunk({ index: 0, id: 'a', function: { ...PRICE, arguments: '{"carat"' } }),
      callChunk({ index: 0, id: 'a', function: { ...PRICE, arguments: ':1}' } }),
      ...end,
    ),
    'names in pieces, and identifiers that change': stream(
      callChunk({ index: 0, id: 'a', function: { name: 'predict_' } }),
      callChunk({ index: 0, id: '', function: { name: 'price', arguments: '{"carat"' } }),
      callChunk({ index: 0, id: 'b', function: { arguments: ':1}' } }),
      ...end,
    ),
    'arguments as an object': stream(
      callChunk({ index: 0, id: 'a', function: { ...PRICE, arguments: { carat: 1 } } }),
      ...end,
    ),
    'the finish reason stop beside tool calls': stream(
      callChunk({ index: 0, id: 'a', function: PRICE }),
      chunk({ content: null }, 'stop'),
      DONE,
    ),
    'the finish reason tool_call': stream(
      callChunk({ index: 0, id: 'a', function: PRICE }),
      chunk({}, 'tool_call'),
    ),
    'tool calls of an answer that is not streamed': document({
      choices: [{ message: { content: null, tool_calls: [{ id: 'a', function: PRICE }] } }],
    }),
    'placeholders of tool calls': stream(
      callChunk({ index: 0, id: 'a', type: 'function', function: { name: '', arguments: '' } }),
      callChunk(null),
      callChunk({ index: 1, id: 'b', function: PRICE }),
      ...end,
    ),
  };
  for (const [name, reply] of Object.entries(toolCalls)) {
    it(name, async () => {
      const { answer } = await ask(reply);
      expect(answer.toolCalls).toEqual([{ id: expect.stringMatching(/./), ...PRICE }]);
      expect(answer.text).toBe('');
    });
  }

  const twoCalls: Record<string, ReturnType<typeof stream>> = {
    'two tool calls in turns': stream(
      callChunk({ index: 0, id: 'a', function: { ...PRICE, arguments: '{"carat"' } }),
      callChunk({ index: 1, id: 'b', function: { ...PRICE, arguments: '{"carat"' } }),
      callChunk({ index: 0, function: { arguments: ':1}' } }),
      callChunk({ index: 1, function: { arguments: ':1}' } }),
      ...end,
    ),
    'two tool calls with one index': stream(
      callChunk({ index: 0, id: 'a', function: PRICE }),
      callChunk({ index: 0, id: 'b', function: PRICE }),
      ...end,
    ),
    'two tool calls with one identifier': stream(
      callChunk({ index: 0, id: 'a', function: PRICE }, { index: 1, id: 'a', function: PRICE }),
      ...end,
    ),
    'two tool calls without index and identifier': stream(
      callChunk({ function: { ...PRICE, arguments: '{"carat"' } }),
      callChunk({ function: { arguments: ':1}' } }),
      callChunk({ function: PRICE }),
      ...end,
    ),
  };
  for (const [name, reply] of Object.entries(twoCalls)) {
    it(name, async () => {
      const { answer } = await ask(reply);
      expect(answer.toolCalls).toMatchObject([PRICE, PRICE]);
      expect(new Set(answer.toolCalls.map(({ id }) => id)).size).toBe(2);
    });
  }

  it('arguments that are no JSON, as they came', async () => {
    const called = { name: 'predict_price', arguments: "{'carat': 1" };
    const { answer } = await ask(stream(callChunk({ function: called }), ...end));
    expect(answer.toolCalls).toMatchObject([called]);
  });

  it('text before tool calls, and a usage without a sum', async () => {
    const { answer } = await ask(
      stream(
        chunk({ content: 'Let me see.' }),
        callChunk({ function: PRICE }),
        event({ usage: { prompt_tokens: 2, completion_tokens: 3 } }),
        ...end,
      ),
    );
    expect(answer).toMatchObject({
      text: 'Let me see.',
      toolCalls: [PRICE],
      usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
      finishReason: 'tool_calls',
    });
  });
});
