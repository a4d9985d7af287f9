import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Session } from './session.js';

const HOST = 'Host: roster\r\nConnection: close\r\n';

/** Bytes that HTTP does not allow, or only just. */
const BYTES: readonly string[] = [
  'x\r\n\r\n',
  'GET / HTTP/2.0\r\n\r\n',
  'GET  / HTTP/1.1\r\n\r\n',
  'GET /health/live HTTP/1.1\r\n\r\n',
  `GET /health/live HTTP/1.1\r\n${HOST}\r\n`,
  'GET /health/live HTTP/1.0\r\n\r\n',
  `GET http://other/health/live HTTP/1.1\r\n${HOST}\r\n`,
  `GET * HTTP/1.1\r\n${HOST}\r\n`,
  `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  `GET health HTTP/1.1\r\n${HOST}\r\n`,
  `GET //health/live HTTP/1.1\r\n${HOST}\r\n`,
  `GET /health/../health/live HTTP/1.1\r\n${HOST}\r\n`,
  `GET /health/live?a=%zz HTTP/1.1\r\n${HOST}\r\n`,
  `CONNECT roster:80 HTTP/1.1\r\n${HOST}\r\n`,
  `BREW / HTTP/1.1\r\n${HOST}\r\n`,
  `GET /health/live HTTP/1.1\r\n${HOST}X: ${'x'.repeat(20_000)}\r\n\r\n`,
  `GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${HOST}\r\n`,
  `GET /health/live HTTP/1.1\r\n${HOST}Upgrade: websocket\r\nConnection: upgrade\r\n\r\n`,
  `GET /health/live HTTP/1.1\r\n${HOST}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`,
  `POST /projects HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\nab`,
  `POST /projects HTTP/1.1\r\n${HOST}Transfer-Encoding: gzip\r\n\r\nab`,
  `POST /projects HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nzz\r\n`,
  `POST /projects HTTP/1.1\r\n${HOST}Expect: 100-continue\r\nContent-Length: 0\r\n\r\n`,
  `GET /health/live HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n`,
  `GET /health/live HTTP/1.1\r\n${HOST}a b: c\r\n\r\n`,
  `GET /health/live HTTP/1.1\r\n${HOST}A: \u0001\r\n\r\n`,
];

/** The time after which a connection that says nothing more is closed, in milliseconds. */
const SILENCE_MS = 2000;

/** Sends bytes that no client of HTTP would send. */
export async function sendMalformed({ name, url, recorder }: Session): Promise<void> {
  for (const [number, bytes] of BYTES.entries()) {
    recorder.begin(`${name}: bytes ${number}`);
    const received = (await exchange(url, bytes)).replace(/^Date: .*\r\n/gm, '');
    recorder.note(
      'none',
      bytes,
      received.replace(/^Content-Length: .*$/gm, 'Content-Length: <length>'),
    );
  }
}

async function exchange(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A reset after the answer says no more than the end of the connection.
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  socket.write(bytes, 'latin1');
  await Promise.race([closed, pause(SILENCE_MS)]);
  socket.destroy();
  return Buffer.concat(chunks).toString();
}
