import { Agent, request } from 'node:http';

export interface HttpRequest {
  method: string;
  /** The address and the query, percent-encoded. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body?: Buffer | undefined;
}

/** Headers or trailers in the order and the spelling of the wire. */
type Fields = readonly (readonly [name: string, value: string])[];

export interface Answer {
  status: number;
  headers: Headers;
  rawHeaders: Fields;
  rawTrailers: Fields;
  bytes: Buffer;
  text: string;
  /** The parsed text; undefined if it is not JSON. */
  json: unknown;
}

export interface Client {
  /** @throws if there is no answer */
  send(request: HttpRequest, operationId: string): Promise<Answer>;
  close(): void;
}

/** The timeout of an answer, in milliseconds. */
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Sends requests unchanged. `fetch` would normalise the address, and refuse some methods and headers.
 * @throws if there is no answer
 */
export class HttpClient implements Client {
  readonly #agent = new Agent({ keepAlive: true });

  constructor(readonly url: string) {}

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
            const bytes = Buffer.concat(chunks);
            const text = bytes.toString();
            const rawHeaders = pairsOf(response.rawHeaders);
            const rawTrailers = pairsOf(response.rawTrailers);
            const headers = new Headers(rawHeaders);
            const { statusCode: status = 0 } = response;
            const json = parsed(text);
            resolve({ status, headers, rawHeaders, rawTrailers, bytes, text, json });
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

/** Returns fields from a list in which each name is followed by its value. */
function pairsOf(names: readonly string[]): [string, string][] {
  return names.flatMap((name, at): [string, string][] =>
    at % 2 === 0 ? [[name, names[at + 1] ?? '']] : [],
  );
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
