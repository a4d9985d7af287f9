import { describe, expect, it } from 'vitest';
import { ask } from '../../../testkit/chat/ask.js';
import { callChunk, calls, chunk, DONE, document, event, stream } from '../../../testkit/chat/reply.js';

const PRICE = { name: 'predict_price', arguments: '{"carat":1}' };

describe('a chat client reads', () => {
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
    'the finish reason tool_call': stream(callChunk({ index: 0, id: 'a', function: PRICE }), chunk({}, 'tool_call')),
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

  it('arguments that are not JSON, as they came', async () => {
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
