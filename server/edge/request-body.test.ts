import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { readContract } from '../../contract/document.js';
import { createBodyTimes, Exchange } from './exchange.js';
import { answerUnreadableRequest } from './malformed-request.js';

const contract = readContract(new URL('../../openapi.yaml', import.meta.url));
const TIMEOUT_MS = 200;
const REQUEST = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx';

let close = () => {};
afterEach(() => close());

/**
 * Serves with a time limit for bodies. Sends bytes, followed by a trickle of more, and returns the
 * response.
 */
async function exchange(listener: RequestListener, bytes: string, trickling = 'x'): Promise<string> {
  const times = createBodyTimes(TIMEOUT_MS, answerUnreadableRequest(contract));
  const server = createServer({ requestTimeout: 0 }, (req, res) => {
    Exchange.of(res).limitBody(times);
    listener(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A string is for pipes only.
  const socket = connect(port, '127.0.0.1');
  const trickle = setInterval(() => socket.write(trickling), 10);
  close = () => {
    clearInterval(trickle);
    socket.destroy();
    server.closeAllConnections();
    server.close();
  };
  // Writing after the end of the connection causes an error.
  socket.on('error', () => {});
  socket.write(bytes);
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk;
  });
  await once(socket, 'close');
  return answer;
}

test('a body that trickles in is refused after the time limit', async () => {
  const answer = await exchange((req) => req.resume(), REQUEST);
  expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  expect(answer).toContain('"type":"/problems/request-timeout"');
});

test('so is a body that nobody reads, and one whose request was already refused', async () => {
  expect(await exchange(() => {}, REQUEST)).toMatch(/^HTTP\/1\.1 408 /);
  close();
  const refuse: RequestListener = (req, res) => {
    res.writeHead(401).end();
    req.resume();
  };
  expect(await exchange(refuse, REQUEST)).toMatch(/^HTTP\/1\.1 401 /);
});

test('an exempt body may take longer than the time limit', async () => {
  const answer = await exchange((req, res) => {
    Exchange.of(res).disableBodyTimeout();
    let bytes = 0;
    req.on('data', ({ length }) => {
      bytes += length;
    });
    // By then the time limit has passed.
    setTimeout(() => res.setHeader('Connection', 'close').end(`${bytes} bytes`), 2 * TIMEOUT_MS);
  }, REQUEST);
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*[1-9]\d* bytes$/s);
});

test('a slow response does not count as a slow body', async () => {
  const bytes = 'POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx';
  const answer = await exchange(
    (req, res) => {
      req.resume();
      setTimeout(() => res.end('late'), 2 * TIMEOUT_MS);
    },
    bytes,
    '',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*late/s);
});

test('a client that keeps sending after the refusal loses its connection', async () => {
  const times = createBodyTimes(50, answerUnreadableRequest(contract));
  const server = createServer({ requestTimeout: 0 }, (_req, res) => Exchange.of(res).limitBody(times));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // A string is for pipes only.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const trickle = setInterval(() => socket.write('x'), 50);
  close = () => {
    clearInterval(trickle);
    socket.destroy();
    server.closeAllConnections();
    server.close();
  };
  const lost = new Promise((resolve) => {
    socket.on('error', () => {}).once('close', resolve);
  });
  socket.write(REQUEST);
  await once(socket.resume(), 'end');
  await lost;
});

test('a request answered before its body arrived is closed with its connection', async () => {
  let closed: Promise<unknown> | undefined;
  await exchange((req, res) => {
    closed = once(req, 'close');
    res.end(() => req.socket.destroy());
  }, REQUEST);
  await closed;
});
