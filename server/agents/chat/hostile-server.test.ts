/** Chat servers that write their bytes by hand: each ends in an error for the caller, and leaves no connection. */
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { streamed } from '../../../testkit/chat/ask.js';
import { ChatClient } from './chat-client.js';
import { ChatError } from './chat-error.js';
import type { ChatLimits } from './messages.js';

const KIBIBYTE = 1024;
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`;

/** The bytes of a response; `again` is sent without end after `once`. */
interface Bytes {
  readonly once: string;
  readonly again?: string;
}

/** Starts a server that answers each connection with the same bytes. */
async function hostile({ once: first, again }: Bytes) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
    socket.once('data', () => {
      socket.write(first);
      if (again === undefined) return;
      const portion = again.repeat(Math.ceil((64 * KIBIBYTE) / again.length));
      const flood = () => {
        if (!socket.destroyed && socket.write(portion)) setImmediate(flood);
      };
      socket.on('drain', flood);
      flood();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of open) socket.destroy();
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}/v1`, open };
}

function withLength(body: string): Bytes {
  return { once: `${OK}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}` };
}

function chunk(text: string, extension = ''): string {
  return `${text.length.toString(16)}${extension}\r\n${text}\r\n`;
}

/** The bytes, and the beginning of the message of the failure. */
type Attack = readonly [bytes: Bytes, message: RegExp, limits?: Partial<ChatLimits>];

const STATUS = /answered with a status that HTTP does not have/;
const TOO_MUCH = /sent too much in one answer/;
const SMALL = { maxReceivedBytes: 256 * KIBIBYTE };
const nested = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
const event = (delta: string) => `data: {"choices":[{"delta":${delta}}]}\n\n`;

/** After these, no connection is left. */
const ATTACKS: Record<string, Attack> = {
  'a status of 600': [{ once: 'HTTP/1.1 600 Odd\r\nContent-Length: 0\r\n\r\n' }, STATUS],
  'a status of 999': [{ once: 'HTTP/1.1 999 Odd\r\n\r\n', again: 'x' }, STATUS],
  'a status of 0': [{ once: 'HTTP/1.1 000 Odd\r\nContent-Length: 0\r\n\r\n' }, STATUS],
  'another protocol': [{ once: 'HTTP/1.1 101 Switch\r\nContent-Length: 2\r\n\r\n{}' }, STATUS],
  'another protocol that nobody asked for': [
    { once: 'HTTP/1.1 101 Switch\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n' },
    STATUS,
  ],
  'hints without end': [{ once: '', again: 'HTTP/1.1 103 Hints\r\nLink: </a>\r\n\r\n' }, STATUS],
  'headers without end': [{ once: OK, again: 'X-A: b\r\n' }, /did not answer in HTTP/],
  'two lengths': [{ once: `${OK}Content-Length: 5\r\nContent-Length: 6\r\n\r\ndata:` }, /did not answer in HTTP/],
  'a body where there is none': [
    { once: 'HTTP/1.1 205 Reset\r\nTransfer-Encoding: chunked\r\n\r\n', again: chunk('x') },
    /broke before/,
  ],
  'a redirect without end': [
    { once: 'HTTP/1.1 302 Found\r\nTransfer-Encoding: chunked\r\n\r\n', again: chunk('x') },
    /redirects to another address/,
  ],
  'a compressed body': [{ once: `${OK}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nx` }, /compressed its answer/],
  'keep-alives without end': [{ once: CHUNKED, again: chunk(': ping\n\n') }, TOO_MUCH, SMALL],
  'white space without end': [{ once: CHUNKED, again: chunk(' \r\n\t') }, TOO_MUCH, SMALL],
  'ends of lines without end': [
    { once: `${CHUNKED}${chunk('data: 1\n\n')}`, again: chunk('\r'.repeat(KIBIBYTE)) },
    TOO_MUCH,
    SMALL,
  ],
  'extensions of chunks without end': [
    { once: CHUNKED, again: chunk(':', `;${'a'.repeat(10 * KIBIBYTE)}`) },
    TOO_MUCH,
    SMALL,
  ],
  'empty events without end': [
    { once: CHUNKED, again: chunk('data:\n\n'.repeat(99)) },
    /more than 1000 events/,
    { maxEvents: 1000 },
  ],
  'empty objects without end': [
    { once: CHUNKED, again: chunk('data: {}\n\n'.repeat(99)) },
    /more than 1000 events/,
    { maxEvents: 1000 },
  ],
  'lines of no event without end': [
    { once: CHUNKED, again: chunk('hello\n'.repeat(99)) },
    /not answer in the form of chat completions/,
  ],
  'a long name of a tool in pieces': [
    {
      once: CHUNKED,
      again: chunk(event('{"tool_calls":[{"index":0,"function":{"name":"nm"}},{"index":0,"function":{"name":"xy"}}]}')),
    },
    /a name of more than 1000 characters/,
  ],
};

describe('a chat client ends, and leaves no connection, with a server that sends', () => {
  for (const [name, [bytes, message, limits = {}]] of Object.entries(ATTACKS)) {
    it(name, async () => {
      const { url, open } = await hostile(bytes);
      const asked = streamed(new ChatClient({ url, limits }));
      await expect(asked).rejects.toThrow(ChatError);
      await expect(asked).rejects.toThrow(message);
      await expect.poll(() => open.size, { interval: 5 }).toBe(0);
    });
  }

  it('more after the end of its answer', async () => {
    const answer = `${event('{"content":"4,000"}')}data: [DONE]\n\n`;
    const { url, open } = await hostile({ once: `${CHUNKED}${chunk(answer)}`, again: chunk('x') });
    expect((await streamed(new ChatClient({ url }))).answer.text).toBe('4,000');
    await expect.poll(() => open.size, { interval: 5 }).toBe(0);
  });
});

describe('a chat client reads in time', () => {
  it.each([
    ['an error in words that look like many addresses', `{"error":"${'a.'.repeat(500_000)}"}`],
    ['an error of 100,000 levels', `{"error":{"code":${nested('[', ']')}}}`],
    ['content of 100,000 levels', event(`{"content":${nested('[', ']')}}`)],
    ['thoughts of 100,000 levels', event(`{"content":${nested('[{"thinking":[', ']}]')}}`)],
    ['texts of 100,000 levels', event(`{"content":${nested('[{"type":"text","thinking":[', ']}]')}}`)],
    ['100,000 thoughts', event(`{"content":"${'<think></think>'.repeat(100_000)}"}`)],
  ])('%s', async (_, body) => {
    const { url } = await hostile(withLength(body));
    await expect(streamed(new ChatClient({ url }))).rejects.toThrow(ChatError);
  });

  it('whatever JSON a server sends as an error, or as a part of an answer', async () => {
    const value = fc.oneof(
      fc.jsonValue(),
      fc.dictionary(
        fc.constantFrom('code', 'type', 'message', 'status', 'detail', 'toString', 'valueOf'),
        fc.jsonValue(),
      ),
    );
    const shapes = fc.constantFrom(
      (given: unknown) => ({ error: given }),
      (given: unknown) => ({ choices: given }),
      (given: unknown) => ({ choices: [{ delta: given, finish_reason: given }], usage: given }),
      (given: unknown) => ({ choices: [{ delta: { content: given, tool_calls: [given] } }] }),
      (given: unknown) => ({ choices: [{ delta: { tool_calls: [{ id: given, function: given }] } }] }),
    );
    let body = '';
    let status = 200;
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        const text = `HTTP/1.1 ${status} OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
        socket.write(text + body);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    const client = new ChatClient({ url: `http://127.0.0.1:${port}` });
    await fc.assert(
      fc.asyncProperty(value, shapes, fc.constantFrom(200, 400, 503), async (given, shape, code) => {
        body = JSON.stringify(shape(given));
        status = code;
        // An answer may be complete by chance.
        const failure = await streamed(client).then(
          () => undefined,
          (error: unknown) => error,
        );
        if (failure !== undefined) expect(failure).toBeInstanceOf(ChatError);
      }),
    );
  });
});
