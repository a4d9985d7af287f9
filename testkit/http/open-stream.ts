import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { createInterface } from 'node:readline';

/** A prediction stream that is written and read in turns, which fetch does not support. */
export class OpenStream {
  readonly #request: ClientRequest;
  readonly #answer: Promise<IncomingMessage>;
  readonly #lines: Promise<AsyncIterator<string>>;

  /** @param key the API key; empty for none */
  constructor(url: string, key: string) {
    this.#request = request(url, {
      method: 'POST',
      agent: false,
      headers: { ...(key && { Authorization: `Bearer ${key}` }), 'Content-Type': 'application/x-ndjson' },
    });
    this.#request.flushHeaders();
    this.#answer = once(this.#request, 'response').then(([answer]) => answer);
    // The lines end where the answer breaks off.
    this.#lines = this.#answer.then((input) => createInterface({ input })[Symbol.asyncIterator]());
    for (const awaited of [this.#answer, this.#lines]) awaited.catch(() => {});
    this.#request.on('error', () => {});
  }

  /** Resolves with the answer once its headers have arrived. */
  get answer(): Promise<IncomingMessage> {
    return this.#answer;
  }

  write(text: string): void {
    this.#request.write(text);
  }

  /** Returns the next line of the answer, parsed; undefined at its end. */
  async next(): Promise<unknown> {
    const { done, value } = await (await this.#lines).next();
    return done ? undefined : JSON.parse(value);
  }

  /** Ends the request, and returns the remaining lines. */
  async end(): Promise<unknown[]> {
    this.#request.end();
    const rest: unknown[] = [];
    for (let line = await this.next(); line !== undefined; line = await this.next()) rest.push(line);
    return rest;
  }

  break(): void {
    this.#request.destroy();
  }
}
