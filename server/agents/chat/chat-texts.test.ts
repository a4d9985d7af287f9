import { describe, expect, it } from 'vitest';
import { ask } from '../../../testkit/chat/ask.js';
import { chunk, DONE, document, event, says, stream } from '../../../testkit/chat/reply.js';

describe('a chat client reads', () => {
  const texts: Record<string, ReturnType<typeof stream>> = {
    'a stream without [DONE]': stream(chunk({ content: '4,000' }), chunk({}, 'stop')),
    'a stream without a finish reason': stream(chunk({ content: '4,000' }), DONE),
    'empty finish reasons': stream(
      'data: {"choices":[{"delta":{"content":"4,"},"finish_reason":""}]}\n\n',
      chunk({ content: '000' }, 'stop'),
      DONE,
    ),
    'a last event without its blank line': stream(chunk({ content: '4,000' }), chunk({}, 'stop').trimEnd()),
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
    'data in several lines': stream('data: {"choices":[{"delta":\ndata: {"content":"4,000"}}]}\n\n', DONE),
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
    'events of another media type': { ...says('4,000'), headers: { 'Content-Type': 'application/json' } },
    'fields of reasoning, which it drops': stream(
      chunk({ reasoning_content: 'Diamonds are dear.' }),
      chunk({ reasoning: 'Diamonds are dear.', content: '' }),
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Dear.' }] }] }),
      chunk({ content: '4,000' }, 'stop'),
      DONE,
    ),
    'reasoning in tags, which it drops': says('\n<th', 'ink>Diamonds are <b>dear</b>.</', 'think', '>\n\n', '4,000'),
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
});
