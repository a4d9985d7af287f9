import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express from 'express';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { readContract } from '../../../contract/document.js';
import { stopClock } from '../../../testkit/stopped-clock.js';
import { answerUnreadableRequest } from '../../edge/malformed-request.js';
import { type ProblemError, problem } from '../../problems/problem.js';
import { Metrics } from '../../telemetry/metrics.js';
import { observeRequests } from '../../telemetry/request-log.js';
import { ByteStream, type StreamPiece, send } from './send.js';
import type { StreamTimes } from './write-stream.js';

const contract = readContract(new URL('../../../openapi.yaml', import.meta.url));
const TIMES: StreamTimes = { stalled: 30_000, longest: 3_600_000, discarding: 5_000 };
type Blocks = AsyncIterable<readonly (Uint8Array | ProblemError)[]>;

/** An empty block gives no bytes. */
async function* inPieces(blocks: Blocks): AsyncGenerator<StreamPiece> {
  for await (const block of blocks) {
    if (block.length === 0) yield 'progress';
    yield* block;
  }
}

let stopping: AbortController;
let isKeyGood: () => boolean;
let closing: (() => unknown)[];
beforeEach(() => {
  stopClock();
  stopping = new AbortController();
  isKeyGood = () => true;
  closing = [];
});
afterEach(() => {
  for (const close of closing) close();
});

/** Serves lines made from a body, and returns a connection on which such a request has begun. */
async function begin(
  made: (body: AsyncIterable<Buffer>) => Blocks,
  times: Partial<StreamTimes> = {},
): Promise<{ socket: Socket; ended: Promise<unknown> }> {
  const app = express();
  const observe = observeRequests(pino({ level: 'silent' }), new Metrics('0.0.0').requests);
  app.use((req, res, next) => {
    observe(req, res);
    next();
  });
  const handled = new EventEmitter();
  const ended = once(handled, 'end');
  app.post('/', (req, res) => {
    const context = { contract, stopping: stopping.signal, noteFailure: () => {}, times: { ...TIMES, ...times } };
    const pieces = inPieces(made(req.iterator({ destroyOnReturn: false })));
    const options = { isStream: true, areLines: true, beginsAtOnce: true };
    const body = new ByteStream('application/x-ndjson', pieces, options);
    Promise.resolve(send(res, { status: 200, body }, context, async () => isKeyGood())).then(
      () => handled.emit('end'),
      (error) => handled.emit('error', error),
    );
  });
  const server = createServer(app).listen(0, '127.0.0.1');
  server.on('clientError', answerUnreadableRequest(contract));
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A string is for pipes only.
  const socket = connect(port, '127.0.0.1');
  closing.push(
    () => socket.destroy(),
    () => server.closeAllConnections(),
    () => server.close(),
  );
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
  return { socket, ended };
}

/** Encodes a piece of a body as a chunk of HTTP/1.1. */
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const END = '0\r\n\r\n';

/** Waits until a connection closes, for any reason. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()));
}

/** Collects the response. */
function received(socket: Socket): { text: string } {
  const all = { text: '' };
  socket.on('error', () => {});
  socket.on('data', (bytes) => {
    all.text += bytes;
  });
  return all;
}

/** Sends a text whenever the last one is on its way, until the returned function is called. */
function trickle(socket: Socket, text = '1\n'): () => void {
  let isOver = false;
  const sendNext = () => {
    if (!isOver && !socket.destroyed) {
      socket.write(chunk(text), () => setImmediate(sendNext));
    }
  };
  sendNext();
  return () => {
    isOver = true;
  };
}

/** Answers each piece of the body with itself. */
async function* echo(body: AsyncIterable<Buffer>): Blocks {
  for await (const piece of body) yield [piece];
}

describe('a stream', () => {
  test('is answered piece by piece while it is sent, and ends when its sender has ended', async () => {
    const { socket, ended } = await begin(echo);
    const answer = received(socket);
    await expect.poll(() => answer.text).toContain('application/x-ndjson');
    for (const line of ['1\n', '2\n', '3\n']) {
      socket.write(chunk(line));
      await expect.poll(() => answer.text).toContain(chunk(line));
    }
    expect(answer.text).not.toContain(END);
    socket.write(END);
    await ended;
    await expect.poll(() => answer.text).toMatch(/3\n\r\n0\r\n\r\n$/);
  });

  test('continues after a problem, which is a line', async () => {
    const { socket } = await begin(async function* () {
      const fault = problem('/problems/invalid-line', 'It is none.', { line: 2 });
      yield [Buffer.from('1\n'), fault, Buffer.from('3\n')];
      yield [Buffer.from('4\n')];
    });
    const answer = received(socket);
    await expect.poll(() => answer.text).toContain(END);
    const text = answer.text.replaceAll(/\r\n[\da-f]+\r\n/g, '');
    expect(text).toMatch(/1\n\{"problem":\{[^\n]*"detail":"It is none\."[^\n]*\}\}\n3\n/);
    expect(answer.text).toContain('4\n');
  });

  test('whose source fails ends with a line that says so, without internal details', async () => {
    const { socket } = await begin(async function* () {
      yield [Buffer.from('1\n')];
      throw new Error('a secret');
    });
    const answer = received(socket);
    await expect.poll(() => answer.text).toContain(END);
    expect(answer.text).toContain('"type":"/problems/internal-error"');
    expect(answer.text).not.toContain('secret');
  });

  test('ends with a line that says so when the service stops', async () => {
    const { socket, ended } = await begin(echo);
    const answer = received(socket);
    socket.write(chunk('1\n'));
    await expect.poll(() => answer.text).toContain(chunk('1\n'));
    stopping.abort();
    await ended;
    await expect.poll(() => answer.text).toContain(END);
    expect(answer.text).toMatch(/\n\{"problem":\{"type":"\/problems\/service-unavailable"/);
  });

  test('that takes too long ends with a line that says so', async () => {
    const { socket } = await begin(echo, { stalled: 2 * TIMES.longest });
    const answer = received(socket);
    socket.write(chunk('1\n'));
    await expect.poll(() => answer.text).toContain(chunk('1\n'));
    vi.advanceTimersByTime(TIMES.longest);
    await expect.poll(() => answer.text).toContain(END);
    expect(answer.text).toContain('"type":"/problems/request-timeout"');
  });

  test('whose key is revoked ends with a line that says so, though it is sent without a pause', async () => {
    const { socket, ended } = await begin(echo);
    const answer = received(socket);
    closing.push(trickle(socket));
    await expect.poll(() => answer.text).toContain(chunk('1\n'));
    isKeyGood = () => false;
    vi.advanceTimersByTime(500);
    await ended;
    await expect.poll(() => answer.text).toContain(END);
    expect(answer.text).toMatch(/\n\{"problem":\{"type":"\/problems\/unauthorized"/);
  });

  test('continues while its key cannot be checked', async () => {
    const { socket } = await begin(echo);
    const answer = received(socket);
    let asked = 0;
    isKeyGood = () => {
      asked += 1;
      throw new Error('The store does not answer');
    };
    closing.push(trickle(socket));
    for (let times = 1; times <= 2; times += 1) {
      vi.advanceTimersByTime(500);
      await expect.poll(() => asked).toBe(times);
    }
    expect(answer.text).not.toContain('problem');
  });

  test('that is no longer valid HTTP is cut off, with nothing inserted into its response', async () => {
    const { socket } = await begin(echo);
    const answer = received(socket);
    socket.write(chunk('1\n'));
    await expect.poll(() => answer.text).toContain(chunk('1\n'));
    socket.write('no length of a piece\r\n');
    await closed(socket);
    expect(answer.text.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

describe('a sender', () => {
  test('who sends nothing for too long gets a last line that says so, and is disconnected', async () => {
    const { socket } = await begin(echo);
    const answer = received(socket);
    socket.write(chunk('1\n'));
    await expect.poll(() => answer.text).toContain(chunk('1\n'));
    vi.advanceTimersByTime(TIMES.stalled);
    await expect.poll(() => answer.text).toContain(END);
    vi.advanceTimersByTime(TIMES.discarding);
    await closed(socket);
    expect(answer.text).toMatch(/1\n\r\n.*\{"problem":\{"type":"\/problems\/request-timeout"/s);
  });

  test('who sends a little now and then is not disconnected', async () => {
    let taken = 0;
    const { socket, ended } = await begin(async function* (body) {
      for await (const { length } of body) {
        taken += length;
        yield [];
      }
      yield [Buffer.from('1\n')];
    });
    const answer = received(socket);
    // The total takes longer than the longest allowed silence.
    for (let sent = 1; sent <= 10; sent += 1) {
      socket.write(chunk('x'));
      await expect.poll(() => taken, { interval: 1 }).toBe(sent);
      vi.advanceTimersByTime(TIMES.stalled / 5);
    }
    socket.write(END);
    await ended;
    await expect.poll(() => answer.text).toContain('1\n');
    expect(answer.text).not.toContain('problem');
  });

  test('who continues after the end has some time to read the reason', async () => {
    const { socket } = await begin(async function* () {
      yield [Buffer.from('1\n')];
      throw new Error('over');
    });
    const answer = received(socket);
    closing.push(trickle(socket, 'x'.repeat(60_000)));
    await expect.poll(() => answer.text).toContain(END);
    expect(socket.destroyed).toBe(false);
    vi.advanceTimersByTime(TIMES.discarding);
    await closed(socket);
  });

  test('who breaks off leaves no pending work', async () => {
    let left = false;
    const { socket, ended } = await begin(async function* (body) {
      try {
        yield* echo(body);
      } finally {
        left = true;
      }
    });
    const answer = received(socket);
    socket.write(chunk('1\n'));
    await expect.poll(() => answer.text).toContain(chunk('1\n'));
    socket.resetAndDestroy();
    await ended;
    await expect.poll(() => left).toBe(true);
  });
});

describe('a reader', () => {
  const line = Buffer.from(`${'7'.repeat(65_535)}\n`);
  /** More than the buffers of both sides hold: 256 MiB. */
  const MAX_LINES = 4096;

  /** Makes endless lines, and counts the blocks that were requested. */
  function endless() {
    const counted = { blocks: 0 };
    const blocks = async function* (): Blocks {
      while (counted.blocks < MAX_LINES) {
        counted.blocks += 1;
        // Sent bytes are freed.
        yield [Buffer.from(line)];
      }
    };
    return { counted, blocks };
  }

  test('who does not read gets no further lines, and is given up after a while', async () => {
    const { counted, blocks } = endless();
    const { socket, ended } = await begin(blocks);
    socket.on('error', () => {}).pause();
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });
    while (!isOver) {
      vi.advanceTimersByTime(TIMES.stalled);
      await pause(10);
    }
    expect(counted.blocks).toBeLessThan(MAX_LINES);
    socket.resume();
    await closed(socket);
  });

  test('who pauses, but not for too long, gets all of it', async () => {
    const { counted, blocks } = endless();
    const { socket, ended } = await begin(blocks);
    let bytes = 0;
    socket.on('data', ({ length }) => {
      bytes += length;
    });
    socket.pause();
    await pause(200);
    vi.advanceTimersByTime(TIMES.stalled - 1);
    expect(counted.blocks).toBeLessThan(MAX_LINES);
    socket.resume();
    await ended;
    await expect.poll(() => bytes).toBeGreaterThan(MAX_LINES * line.length);
  });
});
