import { Agent, request } from 'node:http';

/** What the service answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Parsed, if it is JSON; undefined without a body. */
  readonly body: unknown;
}

/** The answer did not come, or not whole: what was asked for may have happened, or not. */
export class NoAnswer extends Error {}

/** Sends requests over one connection that it keeps, one after the other. */
export class Client {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /**
   * @param body sent as JSON; a string is sent as CSV
   * @throws {NoAnswer}
   */
  send(
    method: string,
    url: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const type = typeof body === 'string' ? 'text/csv' : 'application/json';
    const length = text === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(text)) };
    const content = text === undefined ? {} : { 'Content-Type': type };
    return new Promise((resolve, reject) => {
      const fail = (cause: Error) => reject(new NoAnswer(cause.message, { cause }));
      const sent = request(
        url,
        {
          method,
          agent: this.#agent,
          timeout: PATIENCE,
          headers: { ...content, ...length, ...headers },
        },
        (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (chunk: Buffer) => chunks.push(chunk));
          res.once('error', fail);
          res.once('end', () => {
            const body = Buffer.concat(chunks).toString();
            const { statusCode: status = 0, headers } = res;
            resolve({ status, headers, body: body === '' ? undefined : parsed(body) });
          });
        },
      );
      sent.once('error', fail);
      sent.once('timeout', () => sent.destroy(new Error(`no answer in ${PATIENCE} ms`)));
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** In milliseconds. */
const PATIENCE = 30_000;

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
  headers?: Readonly<Record<string, string>>,
): Promise<Answer> {
  const client = new Client();
  try {
    return await client.send(method, url, body, headers);
  } finally {
    client.close();
  }
}

/** Sends a request that must succeed; gives the body of its answer. */
export async function ask(method: string, url: string, body?: unknown): Promise<unknown> {
  const answer = await send(method, url, body);
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
}
