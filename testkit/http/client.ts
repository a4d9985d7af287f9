import { Agent, request } from 'node:http';

/** The headers of a request, by name. */
export type Headers = Readonly<Record<string, string | number>>;

/** What the service answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed, if it is JSON; undefined without a body. */
  readonly body: unknown;
}

/** The answer did not come, or not whole: what was asked for may have happened, or not. */
export class NoAnswer extends Error {}

/** How a client sends its requests. */
export interface ClientOptions {
  /** Connections at most, which it keeps; on each, one request at a time. */
  readonly connections?: number;
  /** How long an answer may take, in milliseconds. */
  readonly deadline?: number;
}

/** Sends requests over connections that it keeps: over one, where nothing else is said. */
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
        reject(new NoAnswer(cause.message, { cause }));
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

/** In milliseconds. */
const DEADLINE = 30_000;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Sends one request over a connection of its own. */
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

/** Sends a request that must succeed; gives the body of its answer. */
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
