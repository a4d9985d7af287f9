/** Notifications of progress before an answer, for clients that wait with a token. */

import { cutText } from 'roster-prediction/text';
import type { components } from '../../generated/openapi.js';
import { invalidParams, type Report } from './server.js';

export type McpEvent = components['schemas']['McpEvent'];
export type ProgressToken = string | number;

/** The longest token that is a text, in characters: each notification repeats it. */
const MAX_TOKEN = 200;
const MAX_MESSAGE = 1000;

/** The time without a report after which there is one, in milliseconds: hosts give up after a minute without any. */
const BEAT_MS = 10_000;

/** @throws {RpcError} if it is neither a short text nor an integer */
export function readProgressToken(token: unknown): ProgressToken | undefined {
  if (token === undefined || token === null) return undefined;
  if (typeof token === 'string' && token.length <= MAX_TOKEN) return token;
  if (typeof token === 'number' && Number.isSafeInteger(token)) return token;
  throw invalidParams(`The progressToken must be an integer, or a text of at most ${MAX_TOKEN} characters.`);
}

/** Work that may report before it ends. Only the last of the reports that wait to be sent is kept. */
export class ReportingWork<T> {
  readonly #answer: Promise<T>;
  #message: string | undefined;
  #ended: PromiseSettledResult<T> | undefined;
  #wake = () => {};

  constructor(work: (report: Report) => Promise<T>) {
    this.#answer = work((text) => this.#report(text));
    void Promise.allSettled([this.#answer]).then(([result]) => {
      this.#ended = result;
      this.#wake();
    });
  }

  /**
   * Waits until the work reports, or ends.
   * @returns its answer if it ends without a report; undefined if it has begun to report
   * @throws what the work throws before it reports
   */
  async begin(): Promise<{ readonly answer: T } | undefined> {
    await this.#change();
    return this.#message === undefined ? { answer: await this.#answer } : undefined;
  }

  /**
   * Yields notifications as the work reports, and at least one every ten seconds, and then its end.
   * @param writeEnd returns the last event; undefined for none
   */
  async *events(
    progressToken: ProgressToken,
    writeEnd: (ended: PromiseSettledResult<T>) => McpEvent | undefined,
  ): AsyncGenerator<McpEvent, void> {
    const start = performance.now();
    const beat = setInterval(() => {
      this.#report(`Still at work, after ${Math.round((performance.now() - start) / 1000)} s.`);
    }, BEAT_MS);
    try {
      for (let progress = 1; ; progress += 1) {
        await this.#change();
        if (this.#ended) break;
        const message = this.#message ?? '';
        this.#message = undefined;
        yield { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress, message } };
      }
    } finally {
      clearInterval(beat);
    }
    const end = writeEnd(this.#ended);
    if (end) yield end;
  }

  #report(text: string): void {
    this.#message = cutText(text, MAX_MESSAGE);
    this.#wake();
  }

  /** Waits for a report that is not sent yet, or the end. */
  async #change(): Promise<void> {
    if (this.#message !== undefined || this.#ended) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
