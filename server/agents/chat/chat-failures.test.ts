import { describe, expect, it } from 'vitest';
import { ask } from '../../../testkit/chat/ask.js';
import {
  type ChatReply,
  callChunk,
  chunk,
  DONE,
  document,
  event,
  page,
  refuses,
  says,
  stream,
} from '../../../testkit/chat/reply.js';
import { ChatError, type ChatErrorType } from './chat-error.js';

type Failure = readonly [reply: ChatReply, errorType: ChatErrorType, message: RegExp];

const KEY = 'sk-secret-1234567890';

describe('a chat client says', () => {
  const failures: Record<string, Failure> = {
    'that its key is not accepted': [
      refuses(401, { message: `Incorrect API key provided: ${KEY}` }),
      'authentication',
      /^The chat server did not accept the key \(401\)\. Set CHAT_KEY to a key that is valid there\.$/,
    ],
    'that its key may not': [refuses(403), 'authentication', /\(403\)\. Check what the key/],
    'which model is unknown, in the words of the server': [
      refuses(404, { message: 'model "llama9" not found, try pulling it first' }),
      'not_found',
      /Check CHAT_MODEL.* It says: "model "llama9" not found, try pulling it first"$/,
    ],
    'that the address is wrong': [page(404), 'not_found', /CHAT_URL, which often ends in \/v1\.$/],
    'that it is asked too often': [refuses(429), 'rate_limit', /asked too often \(429\)\. Try/],
    'that the quota is used up': [
      refuses(429, { message: 'You exceeded your quota', code: 'insufficient_quota' }),
      'rate_limit',
      /quota .* is used up/,
    ],
    'why a request is refused': [
      refuses(400, { message: 'gemma does not support tools' }),
      'general',
      /refused the request \(400\).*"gemma does not support tools"$/,
    ],
    'why a request is refused by a plain text': [
      { status: 422, body: ['{"error":"no such field"}'] },
      'general',
      /"no such field"$/,
    ],
    'that the chat is too long': [refuses(413), 'general', /too long .*\(413\)/],
    'that the server failed': [refuses(500), 'general', /failed \(500\)\. Try again later/],
    'that a proxy failed, without its page': [
      page(502),
      'general',
      /^The chat server failed \(502\)\. Try again later\.$/,
    ],
    'that a proxy waited in vain': [page(504), 'timeout', /did not answer in time \(504\)/],
    'that a page came in place of an answer': [page(200), 'general', /web page.*CHAT_URL/],
    'that a redirect is not followed': [
      { status: 308, headers: { Location: 'http://user:pass@evil.test/' } },
      'general',
      /^The chat server redirects to another address \(308\), .*final address\.$/,
    ],
    'that another interface answered': [
      document({ model: 'llama3.2', message: { content: 'Hello' }, done: true }),
      'general',
      /not answer in the form of chat completions\. Correct CHAT_URL/,
    ],
    'that lines of JSON are another interface': [
      stream('{"done":false}\n', '{"done":true}\n'),
      'general',
      /form of chat completions/,
    ],
    'that a text is another interface': [stream('Ollama is running'), 'general', /form of chat/],
    'that nothing came': [stream(), 'connection', /broke before the answer was complete/],
    'that there is no content': [{ status: 204 }, 'connection', /broke before/],
    'that the answer has no end': [
      stream(chunk({ content: '4,0' })),
      'connection',
      /broke before the answer was complete/,
    ],
    'that the connection broke': [
      { ...stream(chunk({ content: '4,0' })), end: 'cut' },
      'connection',
      /broke before the answer was complete/,
    ],
    'that the connection broke within an event': [
      { ...stream(chunk({ content: '4,0' }), 'data: {"choices":[{"del'), end: 'cut' },
      'connection',
      /broke before/,
    ],
    'that the answer ended within an event': [
      stream(chunk({ content: '4,0' }), 'data: {"choices":[{"del'),
      'connection',
      /broke before/,
    ],
    'that the answer ended within its only event': [stream('data: {"choices":[{"del'), 'connection', /broke before/],
    'that a document ended within': [stream('{"choices":[{"mess'), 'connection', /broke before/],
    'that an event is not JSON': [
      stream(chunk({ content: '4,0' }), 'data: {"choices":[,]}\n\n', DONE),
      'general',
      /an event that is not JSON/,
    ],
    'which error came within the answer': [
      stream(chunk({ content: '4,0' }), event({ error: { message: 'CUDA out of memory' } })),
      'general',
      /failed while it answered\. .*"CUDA out of memory"$/,
    ],
    'which error came as a text': [stream(event({ error: 'out of memory' })), 'general', /"out of memory"$/],
    'which error came as a separate event': [
      stream('event: error\ndata: {"message":"out of memory"}\n\n'),
      'general',
      /"out of memory"$/,
    ],
    'which error came in the place of an answer': [
      document({ error: { message: 'slow down', code: 429 } }),
      'rate_limit',
      /asked too often/,
    ],
    'which error came by its name': [
      stream(event({ error: { message: KEY, type: 'authentication_error' } })),
      'authentication',
      /did not accept the key \(401\)/,
    ],
    'that a model is not found, within the answer': [
      stream(event({ error: { message: 'gone', code: 'model_not_found' } })),
      'not_found',
      /knows no such model/,
    ],
    'that the model gave no answer': [
      stream(chunk({ content: ' \n' }), chunk({}, 'stop'), DONE),
      'general',
      /gave no answer: it wrote no text and called no tool/,
    ],
    'that a filter withheld the answer': [stream(chunk({}, 'content_filter'), DONE), 'general', /content filter/],
    'that the answer did not fit': [stream(chunk({}, 'length'), DONE), 'general', /limit of tokens first/],
    'that the model only reasoned': [says('<think>Diamonds are dear. They'), 'general', /it only reasoned/],
    'that the model only reasoned, in a field': [
      stream(chunk({ reasoning: 'Dear.' }), chunk({}, 'stop')),
      'general',
      /it only reasoned/,
    ],
    'that a tool call has no name': [
      stream(callChunk({ id: 'a', function: { arguments: '{}' } }), DONE),
      'general',
      /called a tool without its name/,
    ],
    'that it did not understand compressed bytes': [
      { headers: { 'Content-Encoding': 'gzip' }, body: ['data: no gzip\n\n'] },
      'connection',
      /compressed its answer/,
    ],
  };
  for (const [name, [reply, errorType, message]] of Object.entries(failures)) {
    it(name, async () => {
      const failure = await failureOf(ask(reply, { readKey: () => KEY }));
      expect(failure).toBeInstanceOf(ChatError);
      expect(failure).toMatchObject({ errorType });
      expect(failure.message).toMatch(message);
      expect(JSON.stringify([failure.message, failure.cause, failure.stack])).not.toContain(KEY);
    });
  }

  it('that HTTP does not allow its key', async () => {
    const failure = await failureOf(ask(refuses(401), { readKey: () => 'schlüssel–1' }));
    expect(failure).toBeInstanceOf(ChatError);
    expect(failure.message).toContain('does not allow a character in a header');
  });

  it('that it asks for a key where there is none', async () => {
    await expect(ask(refuses(401))).rejects.toThrow('The chat server asks for a key (401).');
  });

  it('how long to wait, from seconds or a date by the clock of the server', async () => {
    const date = (seconds: number) => new Date(1_700_000_000_000 + seconds * 1000).toUTCString();
    const waits: [headers: Record<string, string>, seconds: number | undefined][] = [
      [{ 'Retry-After': '20' }, 20],
      [{ 'Retry-After': date(90), Date: date(0) }, 90],
      [{ 'Retry-After': date(-90), Date: date(0) }, 0],
      [{ 'Retry-After': '9'.repeat(400) }, 86_400],
      [{ 'Retry-After': 'soon' }, undefined],
      [{}, undefined],
    ];
    for (const [headers, retryAfter] of waits) {
      const failure = await failureOf(ask(refuses(429, {}, headers)));
      expect(failure).toMatchObject({ status: 429, retryAfter });
    }
  });

  it('the words of the server without keys, addresses and line breaks, in one short line', async () => {
    const words = `see https://a.test/x?key=1,\n\tBearer abc sk-12*45 ${KEY}\u001b[31m ${'x'.repeat(500)}`;
    const { message } = await failureOf(ask(refuses(400, { message: words }), { readKey: () => KEY }));
    expect(message).toContain('It says: "see … … … … [31m xxx');
    expect(message.length).toBeLessThan(400);
  });
});

async function failureOf(answer: Promise<unknown>): Promise<Error> {
  const failure: unknown = await answer.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (failure instanceof Error) return failure;
  throw new Error('The request did not fail');
}
