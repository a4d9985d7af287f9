import { Agent, request } from 'node:http';

/** The headers of a request, by name. */
export type Headers = Readonly<Record<string, string | number>>;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The body, parsed if it is JSON; undefined if there is none. */
  readonly body: unknown;
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
  send(method: string, url: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    const content = text === undefined ? {} : { 'Content-Type': type };
    return new Promise((resolve, reject) => {
      const late = setTimeout(
        () => sent.destroy(new Error(`no answer in ${this.#deadline} ms`)),
        this.#deadline,
      );
      const fail = (cause: Error) => {
        clearTimeout(late);
        reject(new NoAnswer(`${method} ${new URL(url).pathname}: ${cause.message}`, { cause }));
      };
      const sent = request(
        url,
        {
          method,
          agent: this.#agent,
          headers: { ...content, ...length, ...headers },
        },
        (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.once('error', fail);
          res.once('end', () => {
            clearTimeout(late);
            const body = Buffer.concat(chunks).toString();
            const { statusCode: status = 0, headers } = res;
            resolve({ status, headers, body: body === '' ? undefined : parsed(body) });
          });
        },
      );
      sent.once('error', fail);
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** The default timeout, in milliseconds. */
const DEADLINE = 30_000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

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
export async function ask(
  method: string,
  url: string,
  body?: unknown,
  headers?: Headers,
): Promise<unknown> {
  const answer = await send(method, url, body, headers);
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
}
