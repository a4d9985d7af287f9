import { setTimeout as delay } from 'node:timers/promises';
import { Client, NoAnswer, type RawRequest } from '../../testkit/http/client.js';
import type { Service } from '../../testkit/service/measured-service.js';
import type { Measured } from './judge.js';

/** The effect of one request on the service. */
export interface Turn {
  readonly status: number;
  /** The bytes of the answer. */
  readonly answer: number;
  /** The longest turn of the event loop, in milliseconds. */
  readonly hold: number;
  /** The longest answer of `/health/live` meanwhile, in milliseconds. */
  readonly live: number;
}

/** A measured size of a growth. */
export type MeasuredTurn = Measured & Turn;

/** The longest wait for an answer, in milliseconds. */
const DEADLINE_MS = 60_000;

/** Measures what requests do to the event loop of a service, while another client asks whether it lives. */
export class Watch {
  readonly #client = new Client({ deadline: DEADLINE_MS });
  readonly #pulse: Pulse;

  private constructor(private readonly service: Service) {
    this.#pulse = new Pulse(service.url);
  }

  static async begin(service: Service): Promise<Watch> {
    await service.ask('begin');
    return new Watch(service);
  }

  /** @param send sends one request, and reads its whole answer */
  async measure(send: () => Promise<{ readonly status: number; readonly bytes: number }>): Promise<Turn> {
    this.#pulse.lap();
    const { status, bytes: answer } = await send();
    // Some work follows the answer, and this question waits for it.
    const hold = Number(await this.service.ask('lap'));
    return { status, answer, hold, live: this.#pulse.lap() };
  }

  /** Sends a request, and deletes what it creates. An answer that does not come has the status 0. */
  async measureRequest(request: RawRequest, authorization: string): Promise<Turn> {
    let location: string | undefined;
    const turn = await this.measure(async () => {
      try {
        const { response, text } = await this.#client.exchange(this.service.url, request);
        const { statusCode: status = 0, headers } = response;
        if (status === 201 || status === 202) location = headers.location;
        return { status, bytes: text.length };
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        return { status: 0, bytes: 0 };
      }
    });
    if (location?.startsWith('/') === true) {
      const headers = { Authorization: authorization };
      await this.#client.exchange(this.service.url, { method: 'DELETE', path: location, headers });
      await this.service.ask('lap');
    }
    return turn;
  }

  async close(): Promise<void> {
    await this.#pulse.end();
    this.#client.close();
  }
}

/** The time between two questions whether the service lives, in milliseconds. */
const PAUSE_MS = 2;

/** Asks a service again and again whether it lives. */
class Pulse {
  readonly #client = new Client({ deadline: DEADLINE_MS });
  readonly #asking: Promise<void>;
  #isOver = false;
  #longest = 0;
  #begun = performance.now();
  #isAsking = false;

  constructor(url: string) {
    this.#asking = this.#askOn(url);
  }

  /** Returns the longest time of an answer since the last lap, or for which one is awaited, in milliseconds. */
  lap(): number {
    const now = performance.now();
    const waited = this.#isAsking ? now - this.#begun : 0;
    const longest = Math.max(this.#longest, waited);
    this.#longest = 0;
    return longest;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#asking;
    this.#client.close();
  }

  async #askOn(url: string): Promise<void> {
    for (; !this.#isOver; await delay(PAUSE_MS)) {
      this.#begun = performance.now();
      this.#isAsking = true;
      await this.#client.exchange(url, { method: 'GET', path: '/health/live', headers: {} });
      this.#isAsking = false;
      this.#longest = Math.max(this.#longest, performance.now() - this.#begun);
    }
  }
}
