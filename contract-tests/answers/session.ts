import type { Keys } from '../../testkit/store/keys.js';
import type { Answer } from '../fuzz/http.js';
import type { Recorder } from './recorder.js';

/** A request of the corpus. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string | undefined;
}

/** A service that a corpus is sent to. */
export class Session {
  /** @param keys undefined if the service has none */
  constructor(
    /** The beginning of the names of its entries. */
    readonly name: string,
    readonly url: string,
    readonly recorder: Recorder,
    readonly keys: Keys | undefined,
    readonly seeds: readonly number[],
    private readonly basePath: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /**
   * Sends a request of a case that has only this one.
   * @returns undefined if the connection broke, which is recorded too
   */
  async send(
    what: string,
    operation: string,
    { method, path, headers, body }: Sent,
    key: keyof Keys | null = 'own',
  ): Promise<Answer | undefined> {
    this.recorder.begin(`${this.name}: ${what}`);
    const authorization =
      key === null || this.keys === undefined ? {} : { Authorization: `Bearer ${this.keys[key]}` };
    const request = {
      method,
      path: this.basePath + path,
      headers: { ...authorization, ...this.headers, ...headers },
      body: typeof body === 'string' ? Buffer.from(body) : body,
    };
    try {
      return await this.recorder.send(request, operation);
    } catch {
      return undefined;
    }
  }

  /** Sends JSON. */
  json(what: string, operation: string, method: string, path: string, body?: unknown) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'Content-Type': 'application/json' };
    return this.send(what, operation, { method, path, ...sent, ...(body ? { headers } : {}) });
  }
}

/** Sends the requests of one part of the corpus. */
export type Corpus = (session: Session) => Promise<void>;
