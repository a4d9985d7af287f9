import { describe, expect, it } from 'vitest';
import { QUESTION, scripted, streamed } from '../../../testkit/chat/ask.js';
import { chunk, DONE, says, slowly, usageChunk } from '../../../testkit/chat/reply.js';
import { ChatClient } from './chat-client.js';

describe('a chat client', () => {
  it('sends the least, to the path below the base URL, with its key', async () => {
    const server = await scripted([says('Hello')]);
    // As a line of an env file has it that ends in CRLF.
    await streamed(new ChatClient({ url: `${server.url}/ \r`, readKey: () => 'sk-1' }));
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
    await streamed(new ChatClient({ url: server.url, readKey: () => '' }));
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  it('sends no form of the answer to a server that takes none', async () => {
    const server = await scripted([says('{}')]);
    const form = { type: 'json_object' } as const;
    for (const takesForms of [true, false]) {
      await streamed(new ChatClient({ url: server.url, takesForms }), { ...QUESTION, form });
    }
    expect(server.requests.map(({ body }) => body.response_format)).toEqual([form, undefined]);
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
        { function: { name: 'predict_price_', arguments: '{"invalid_arguments":"{\\"carat\\":"}' } },
        { function: { name: '_', arguments: '{}' } },
        { function: { name: 'sum', arguments: '{"a": 1}' } },
      ],
    });
    expect(emptied).toEqual({ role: 'assistant', content: '' });
  });

  it('passes on the whole text of each of many answers, which take turns', async () => {
    const words = Array.from({ length: 20 }, (_, index) => `${index} `);
    const { url } = await scripted(() => slowly(says(...words), 1));
    const client = new ChatClient({ url });
    const answers = await Promise.all(Array.from({ length: 30 }, () => streamed(client)));
    for (const { pieces, answer } of answers) {
      expect(pieces.join('')).toBe(words.join(''));
      expect(answer.text).toBe(words.join(''));
    }
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
