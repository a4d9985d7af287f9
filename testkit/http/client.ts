import { Agent, type IncomingMessage, request } from 'node:http';
import { parseJson } from '../../contract/json-record.js';

/** The headers of a request, by name. */
export type Headers = Readonly<Record<string, string | number>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, parsed if it is JSON; undefined if there is none. */
  readonly body: unknown;
}

/** A request that is sent as it is; `fetch` would normalise its address, and refuse some methods and headers. */
export interface RawRequest {
  readonly method: string;
  /** The address and the query, percent-encoded. */
  readonly path: string;
  readonly headers: Headers;
  readonly body?: string | Buffer | undefined;
}

/** The answer did not arrive, or not completely: the request may or may not have been carried out. */
export class NoAnswer extends Error {}

export interface ClientOptions {
  /** The maximum number of connections, which are kept alive; each has one request at a time. */
  readonly connections?: number;
  /** The timeout of an answer, in milliseconds. */
  readonly deadline?: number;
}

/** Sends requests over connections that it keeps alive; over a single one by default. */
export class Client {
  readonly #agent: Agent;
  readonly #deadline: number;

  constructor({ connections = 1, deadline = DEADLINE }: ClientOptions = {}) {
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
    this.#deadline = deadline;
  }

  /**
   * @param body sent as JSON; a string is sent as CSV
   * @throws {NoAnswer}
   */
  async send(method: string, url: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const { origin, pathname, search } = new URL(url);
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const { response, text } = await this.exchange(origin, {
      method,
      path: pathname + search,
      headers: { ...(sent !== undefined && { 'Content-Type': type }), ...headers },
      body: sent,
    });
    const { statusCode: status = 0, headers: answered } = response;
    const value = parseJson(text);
    return { status, headers: answered, body: value === undefined ? text || undefined : value };
  }

  /** @throws {NoAnswer} */
  exchange(
    origin: string,
    { method, path, headers, body }: RawRequest,
  ): Promise<{ response: IncomingMessage; text: string }> {
    const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => sent.destroy(new Error(`no answer in ${this.#deadline} ms`)), this.#deadline);
      // An answer that is cut off may fail twice: as it is read, and on its connection.
      const fail = (cause: Error) => {
        clearTimeout(late);
        reject(new NoAnswer(`${method} ${path}: ${cause.message}`, { cause }));
      };
      const options = { path, method, agent: this.#agent, headers: { ...length, ...headers } };
      const sent = request(origin, options, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.once('end', () => {
          clearTimeout(late);
          resolve({ response, text: Buffer.concat(chunks).toString() });
        });
      });
      sent.on('error', fail);
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The default timeout, in milliseconds. */
const DEADLINE = 120_000;

/** Sends one request over its own connection. */
export async function send(
  method: string,
  url: string,
  body?: unknown,
  headers?: Headers,
  options?: ClientOptions,
): Promise<Answer> {
  const client = new Client(options);
  try {
    return await client.send(method, url, body, headers);
  } finally {
    client.close();
  }
}

/** Sends a request that must succeed. Returns the body of its answer. */
export async function ask(method: string, url: string, body?: unknown, headers?: Headers): Promise<unknown> {
  const answer = await send(method, url, body, headers);
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
}
