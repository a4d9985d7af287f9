import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { tableFromIPC } from 'apache-arrow';
import type { Answer, Client, HttpRequest } from '../fuzz/http.js';
import { recordOf } from '../fuzz/values/schema.js';
import type { Normalizer } from './normalizer.js';

/** A request and its answer, without what differs between two runs of the same service. */
export interface Entry {
  /** The place in the corpus, which is the same in each recording. */
  readonly at: string;
  readonly operation: string;
  readonly request: object;
  readonly answer: object;
  /** The requests to the chat server on the way to the answer. */
  readonly asked?: readonly unknown[];
}

/** The maximum length of a text that is recorded whole, in characters; of others, a digest is. */
const MAX_TEXT = 8192;
const BEGINNING = 512;
/** The maximum size of an answer whose rows have arrived at once, in bytes. */
const MAX_ONE_BATCH = 16_384;

/** Headers of the clock. */
const LEFT_OUT = /^(Date|Last-Modified)$/i;
/** Headers that count the seconds until the rate limit allows more. */
const OF_RATE_LIMIT = /^(RateLimit|Retry-After)$/i;
const TAGS = /^(ETag|If-Match|If-None-Match)$/i;

/** Records each answer that it gets. */
export class Recorder implements Client {
  /** True if the next request waits until a training has ended. */
  isSettling = true;
  readonly #begun = new Map<string, number>();
  #at = '';
  #step = 0;

  /**
   * @param authorization the key that reads a model until its training has ended
   * @param takeAsked returns the requests to the chat server since the last call
   */
  constructor(
    private readonly client: Client,
    private readonly normalizer: Normalizer,
    private readonly authorization: string | undefined,
    private readonly takeAsked: () => readonly unknown[],
    private readonly write: (entry: Entry) => void,
  ) {}

  /** Begins a case of the corpus, after which its requests are named. */
  begin(what: string): void {
    // Within the text of a body, a quotation mark would look like its end.
    const name = what.replaceAll('"', "'");
    const times = (this.#begun.get(name) ?? 0) + 1;
    this.#begun.set(name, times);
    this.#at = times === 1 ? name : `${name} (${times})`;
    this.#step = 0;
  }

  async send(request: HttpRequest, operation: string): Promise<Answer> {
    const answer = await this.#exchange(request, operation);
    if (answer.status === 202 && this.isSettling) await this.#settle(answer);
    return answer;
  }

  /** Records what was not exchanged by this client. */
  note(operation: string, request: string, answer: string): void {
    const at = this.#next();
    const [sent, received] = [this.#textOf(request), this.#textOf(answer)];
    this.write({ at, operation, request: { text: sent }, answer: { text: received } });
  }

  close(): void {
    this.client.close();
  }

  async #exchange(request: HttpRequest, operation: string): Promise<Answer> {
    let outcome: Answer | Error;
    try {
      outcome = await this.client.send(request, operation);
    } catch (error) {
      outcome = error instanceof Error ? error : new Error(String(error));
    }
    const at = this.#next();
    const asked = this.takeAsked().map((one) => this.#textOf(JSON.stringify(one)));
    this.write({
      at,
      operation,
      request: {
        method: request.method,
        path: this.normalizer.text(request.path),
        headers: this.#headersOf(Object.entries(request.headers)),
        body: this.#bodyOf(request.body ?? Buffer.alloc(0)),
      },
      answer: outcome instanceof Error ? { broken: true } : this.#answerOf(request.method, outcome),
      ...(asked.length > 0 ? { asked } : {}),
    });
    if (outcome instanceof Error) throw outcome;
    return outcome;
  }

  #next(): string {
    this.#step += 1;
    const at = `${this.#at}.${this.#step}`;
    this.normalizer.begin(at);
    return at;
  }

  #answerOf(method: string, { status, rawHeaders, rawTrailers, bytes, headers }: Answer): object {
    const type = headers.get('Content-Type') ?? '';
    // Durations and metrics have more digits or fewer, and the length of the whole with them.
    const isLengthRight = method === 'HEAD' || headers.get('Content-Length') === `${bytes.length}`;
    return {
      status,
      headers: this.#headersOf(
        rawHeaders.map(([name, value]) =>
          /^Content-Length$/i.test(name) && isLengthRight ? [name, '<length>'] : [name, value],
        ),
        status === 429,
      ),
      ...(rawTrailers.length > 0 ? { trailers: this.#headersOf(rawTrailers) } : {}),
      body: this.#answerBodyOf(type, bytes),
    };
  }

  #answerBodyOf(type: string, bytes: Buffer): unknown {
    if (type.includes('version=0.0.4')) {
      // Counts of metrics are a matter of time; their names are not.
      return bytes
        .toString()
        .match(/^# .*$/gm)
        ?.join('\n');
    }
    if (type.startsWith('application/vnd.apache.arrow') && bytes.length > MAX_ONE_BATCH) {
      // Rows become a batch as they arrive, so that only their values are the same each time.
      const table = tableFromIPC(bytes);
      const schema = this.#textOf(JSON.stringify(table.schema));
      return { schema, rows: hash('sha256', JSON.stringify(table.toArray(), exactNumber)) };
    }
    return this.#bodyOf(bytes);
  }

  /** Waits until the training that an answer accepts has ended, so that what follows meets the same state. */
  async #settle({ headers }: Answer): Promise<void> {
    const path = headers.get('Location');
    if (path === null) return;
    const request = {
      method: 'GET',
      path,
      headers: this.authorization === undefined ? {} : { Authorization: this.authorization },
    };
    for (;;) {
      const { json } = await this.client.send(request, 'settled');
      if (recordOf(json)['status'] !== 'training') break;
      await pause(20);
    }
    await this.#exchange(request, 'settled');
  }

  /** @param isRefusedByRate whether the answer says when to come again */
  #headersOf(
    fields: readonly (readonly [string, string])[],
    isRefusedByRate: boolean = false,
  ): string[] {
    return fields
      .filter(([name]) => !LEFT_OUT.test(name))
      .map(([name, value]) => {
        const text = this.normalizer.text(value);
        if (TAGS.test(name)) return `${name}: ${this.normalizer.tags(text)}`;
        const isOfClock = isRefusedByRate && OF_RATE_LIMIT.test(name);
        return `${name}: ${isOfClock ? text.replace(/\d+/g, '<number>') : text}`;
      })
      .toSorted();
  }

  #bodyOf(bytes: Buffer): unknown {
    if (isUtf8(bytes)) return this.#textOf(bytes.toString());
    return { bytes: bytes.length, sha256: hash('sha256', bytes) };
  }

  #textOf(original: string): unknown {
    const text = this.normalizer.text(original);
    if (text.length <= MAX_TEXT) return text;
    return {
      characters: text.length,
      sha256: hash('sha256', text),
      beginning: text.slice(0, BEGINNING),
    };
  }
}

/** Replaces the numbers that JSON would change or refuse. */
function exactNumber(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}`;
  const isChanged = typeof value === 'number' && (Object.is(value, -0) || !Number.isFinite(value));
  return isChanged ? `${Object.is(value, -0) ? '-0' : value}` : value;
}
