import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ExampleRequest } from '../testkit/openapi/example-requests.js';
import { checkedAnswer } from './checked-fetch.js';

/** A request that is written to its connection in parts, which fetch does not support. */
export class RawExchange {
  private constructor(
    private readonly socket: Socket,
    private readonly url: URL,
    private readonly request: ExampleRequest,
  ) {}

  /**
   * Begins a request: sends its first line, and of its headers only Host.
   * @param host the value of Host; without it, that of the URL
   */
  static async begin(baseUrl: string, request: ExampleRequest, host?: string): Promise<RawExchange> {
    const url = new URL(baseUrl + request.path);
    const socket = connect(Number(url.port), url.hostname);
    await once(socket, 'connect');
    socket.write(`${request.method} ${request.path} HTTP/1.1\r\nHost: ${host ?? url.host}\r\n`);
    return new RawExchange(socket, url, request);
  }

  /**
   * Sends the rest; a request without a body has no Content-Length. The answer has been checked against the contract.
   */
  async finish(): Promise<Response> {
    const { method, body } = this.request;
    const headers = new Headers(this.request.headers);
    if (body !== undefined) headers.set('Content-Length', `${Buffer.byteLength(body)}`);
    headers.set('Connection', 'close');
    const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${lines.join('')}\r\n${body ?? ''}`);
    let text = '';
    for await (const chunk of this.socket) text += chunk;
    return checkedAnswer({ method, url: this.url.href, headers }, body ?? '', readAnswer(text));
  }
}

/** Parses an answer as it came over a connection that has ended. */
export function readAnswer(text: string): Response {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const status = Number(first.split(' ')[1]);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return new Response(status === 204 ? null : body, { status, headers });
}
