import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';

/** A stream of rows to predict that is written and read by turns, which fetch cannot do. */
export class OpenStream {
  readonly #request: ClientRequest;
  readonly #answer: Promise<IncomingMessage>;
  readonly #lines: Promise<AsyncIterator<string>>;

  /** @param key none, if it is empty. */
  constructor(url: string, key: string) {
    this.#request = request(url, {
      method: 'POST',
      agent: false,
      headers: {
        ...(key && { Authorization: `Bearer ${key}` }),
        'Content-Type': 'application/x-ndjson',
      },
    });
    this.#request.flushHeaders();
    this.#answer = once(this.#request, 'response').then(([answer]) => answer);
    // Where the answer breaks off, so do its lines.
    this.#lines = this.#answer.then((input) => createInterface({ input })[Symbol.asyncIterator]());
    for (const awaited of [this.#answer, this.#lines]) awaited.catch(() => {});
    this.#request.on('error', () => {});
  }

  /** The answer, once its head is there. */
  get answer(): Promise<IncomingMessage> {
    return this.#answer;
  }

  write(text: string): void {
    this.#request.write(text);
  }

  /** The next line of the answer, parsed; undefined at its end. */
  async next(): Promise<unknown> {
    const { done, value } = await (await this.#lines).next();
    return done ? undefined : JSON.parse(value);
  }

  /** Sends no more, and gives the lines that are still to come. */
  async end(): Promise<unknown[]> {
    this.#request.end();
    const rest: unknown[] = [];
    for (let line = await this.next(); line !== undefined; line = await this.next())
      rest.push(line);
    return rest;
  }

  /** Hangs up. */
  break(): void {
    this.#request.destroy();
  }
}
