import { Agent, request } from 'node:http';

export interface HttpRequest {
  method: string;
  /** The address and the query, percent-encoded. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: Buffer | undefined;
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed text; undefined if it is not JSON. */
  json: unknown;
}

/** The timeout of an answer, in milliseconds. */
const ANSWER_TIMEOUT_MS = 60_000;

/** Sends requests unchanged. `fetch` would normalise the address, and refuse some methods and headers. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(readonly url: string) {}

  /** @throws if there is no answer */
  send({ method, path, headers, body }: HttpRequest): Promise<Answer> {
    const length = body === undefined ? {} : { 'Content-Length': String(body.length) };
    const { hostname, port } = new URL(this.url);
    return new Promise((resolve, refuse) => {
      const reject = (cause: unknown) =>
        refuse(new Error(`${method} ${path}: no answer`, { cause }));
      const sent = request(
        {
          hostname,
          port,
          path,
          method,
          agent: this.#agent,
          timeout: ANSWER_TIMEOUT_MS,
          headers: { ...length, ...headers },
        },
        (response) => {
          const chunks: Buffer[] = [];
          response.on('data', (chunk: Buffer) => chunks.push(chunk));
          response.on('error', reject);
          response.once('end', () => {
            const text = Buffer.concat(chunks).toString();
            const { statusCode: status = 0, headersDistinct } = response;
            const pairs = Object.entries(headersDistinct).flatMap(([name, values = []]) =>
              values.map((value): [string, string] => [name, value]),
            );
            resolve({ status, headers: new Headers(pairs), text, json: parsed(text) });
          });
        },
      );
      // An answer that is cut off may fail twice: as it is read, and on its connection.
      sent.on('error', reject);
      sent.once('timeout', () => sent.destroy(new Error(`no answer in ${ANSWER_TIMEOUT_MS} ms`)));
      sent.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the command that sends a request again. */
export function curlOf(url: string, { method, path, headers, body }: HttpRequest): string {
  const shownHeaders = Object.entries(headers).map(
    ([name, value]) => `-H ${quoted(value === '' ? `${name};` : `${name}: ${value}`)}`,
  );
  const data = body === undefined ? [] : [`--data-binary ${quoted(body.toString())}`];
  const verb = method === 'HEAD' ? '-I' : `-X ${method}`;
  return ['curl -si --path-as-is', verb, quoted(url + path), ...shownHeaders, ...data].join(' ');
}

function quoted(text: string): string {
  if (/\p{Cc}/u.test(text)) {
    const escaped = text
      .replace(/[\\']/g, '\\$&')
      .replace(/\p{Cc}/gu, (c) => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`);
    return `$'${escaped}'`;
  }
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
