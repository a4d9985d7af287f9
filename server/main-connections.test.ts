/** Tests input that is not a valid request, or is refused before it is read. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkedSharedAnswer } from '../contract-tests/checked-fetch.js';
import { readAnswer } from '../contract-tests/raw-exchange.js';
import { type ServerProcess, startServer } from '../testkit/service/server-process.js';

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer({ env: { MAX_TABLE: '1000' } });
});
afterAll(() => server.kill());

describe('input that is not HTTP', () => {
  async function answerTo(bytes: string): Promise<string> {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.end(bytes);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    await checkedSharedAnswer(readAnswer(answer));
    return answer;
  }

  test.each([
    ['garbage', 'HELLO\r\n\r\n'],
    ['a TLS connection', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a length and chunks', smuggled('Content-Length: 5\r\nTransfer-Encoding: chunked')],
    ['chunks and a length', smuggled('Transfer-Encoding: chunked\r\nContent-Length: 5')],
    ['two lengths', smuggled('Content-Length: 5\r\nContent-Length: 6')],
    ['two lengths in one header', smuggled('Content-Length: 5, 6')],
    ['a length with a sign', smuggled('Content-Length: +5')],
    ['a length in hexadecimal', smuggled('Content-Length: 0x5')],
    ['an unknown transfer encoding', smuggled('Transfer-Encoding: xchunked')],
    ['chunks that are not the last encoding', smuggled('Transfer-Encoding: chunked, identity')],
    ['a space before the colon', smuggled('Transfer-Encoding : chunked')],
    ['a folded header', smuggled('Transfer-Encoding:\r\n chunked\r\nContent-Length: 5')],
    ['a line that ends in LF alone', smuggled('X: a\nContent-Length: 5')],
    ['a zero byte in a header', smuggled('X: a\0b')],
  ])('such as %s is answered with a problem, and only once', async (_, bytes) => {
    const answer = await answerTo(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/problem\+json/);
    expect(answer).toContain('"type":"/problems/unreadable-request"');
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test.each([
    ['two Host headers', 'GET /projects HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    ['a Host after a thousand headers', `GET / HTTP/1.1\r\nHost: a\r\n${'a:\r\n'.repeat(1000)}Host: b\r\n\r\n`],
    ['a Host with a path', 'GET /projects HTTP/1.1\r\nHost: a/b\r\n\r\n'],
    ['a Host with a user', 'GET /projects HTTP/1.1\r\nHost: a@b\r\n\r\n'],
    ['a Host with a port that is none', 'GET /projects HTTP/1.1\r\nHost: a:b\r\n\r\n'],
    ['a Host that is not ASCII', 'GET /projects HTTP/1.1\r\nHost: \u00e9\r\n\r\n'],
    ['an address of another scheme', 'GET ftp://localhost?x HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an address without a host', 'GET http:///projects HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['an address with a user', 'GET http://a@localhost/ HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['a fragment', 'GET /projects?limit=1#a HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['a target that is not ASCII', 'GET /projects/\u00e9 HTTP/1.1\r\nHost: localhost\r\n\r\n'],
    ['HTTP/0.9', 'GET /projects\r\n\r\n'],
    ['HTTP/2.0', 'GET /projects HTTP/2.0\r\nHost: localhost\r\n\r\n'],
    ['the beginning of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['chunks in HTTP/1.0', 'POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['the same length twice', smuggled('Content-Length: 5\r\nContent-Length: 5')],
  ])('such as %s is answered with a problem that states the reason', async (_, bytes) => {
    const answer = await answerTo(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(answer).toContain('"type":"/problems/unreadable-request"');
  });

  test.each([
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n'],
    ['an unknown coding before the chunks', smuggled('Transfer-Encoding: gzip, chunked')],
    ['the same in two headers', smuggled('Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked')],
    ['the coding that does nothing', smuggled('Transfer-Encoding: identity, chunked')],
  ])('%s is answered as not implemented', async (_, bytes) => {
    const answer = await answerTo(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 501 Not Implemented\r\n/);
    expect(answer).toContain('"type":"/problems/not-implemented"');
  });

  test('requests that follow on a refused connection are ignored', async () => {
    const project = 'after_a_refusal';
    const body = JSON.stringify({ project: { name: project } });
    const creation = `POST /projects HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    for (const refused of [
      'GET /projects HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n',
      'POST /projects HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
    ]) {
      const answer = await answerTo(refused + creation);
      expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    }
    expect((await fetch(`${server.url}/projects/${project}`)).status).toBe(404);
  });

  test.each([
    ['with a query', 'GET', '?x=1', /^HTTP\/1\.1 404 [\s\S]*"\/problems\/unknown-address"/],
    ['alone', 'GET', '', /^HTTP\/1\.1 404 [\s\S]*"\/problems\/unknown-address"/],
    ['asked for its options', 'OPTIONS', '', /^HTTP\/1\.1 204 [\s\S]*\r\nAllow: GET, HEAD, OPTIONS\r\n/i],
  ])('a host without a path, %s, is its root', async (_, method, query, expected) => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(`${method} http://localhost${query} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(expected);
  });

  test('the host of an absolute target takes precedence over the header', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('GET http://elsewhere.example/projects HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  test('headers that are too large are refused with a problem', async () => {
    const answer = await answerTo(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
    expect(answer).toContain('"type":"/problems/headers-too-large"');
  });

  test('headers that do not end are refused after the time limit', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write('GET /projects HTTP/1.1\r\nHost: x\r\nX: ');
    let answer = '';
    for await (const chunk of socket) answer += chunk;
    await checkedSharedAnswer(readAnswer(answer));
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
    expect(answer).toContain('"type":"/problems/request-timeout"');
  });
});

/**
 * Returns a request with a second one hidden behind it, for parsers that read the first one's
 * length differently.
 */
function smuggled(headers: string): string {
  return `POST /projects HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n0\r\n\r\nGET /projects HTTP/1.1\r\nHost: x\r\n\r\n`;
}

describe('an upload that is refused before it is read', () => {
  test('does not affect other requests when it is too large', async () => {
    const refused = await fetch(`${server.url}/api/projects/nowhere/models/m?target=y`, {
      method: 'PUT',
      headers: { 'Content-Type': 'text/csv' },
      body: new Blob(['x,y\n'.repeat(10_000)]).stream(),
      duplex: 'half',
    });
    expect(refused.status).toBe(404);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });

  test('is refused with the limit of CSV tables, with or without a declared length', async () => {
    const train = (body: string | ReadableStream<Uint8Array>, init: RequestInit = {}) =>
      fetch(`${server.url}/api/projects/default/models/m?target=y`, {
        method: 'PUT',
        headers: { 'Content-Type': 'text/csv' },
        body,
        ...init,
      });
    const large = 'x,y\n'.repeat(300);
    for (const refused of [await train(large), await train(new Blob([large]).stream(), { duplex: 'half' })]) {
      expect(refused.status).toBe(413);
      expect(await refused.text()).toContain('more than 1000 bytes');
    }
    const rows = Array.from({ length: 100 }, (_, row) => `${row},${row}`);
    expect((await train(`x,y\n${rows.join('\n')}`)).status).toBe(202);
  });

  test('does not affect other requests when it breaks off', async () => {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(
      'PUT /api/projects/nowhere/models/m?target=y HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 999\r\n\r\nx,y\n',
    );
    await once(socket, 'data');
    socket.resetAndDestroy();
    await delay(100);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });
});
