import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Caller } from '../../auth/caller.js';
import { FairGate } from '../../common/fair-gate.js';
import type { Operation, Pool } from '../../contract/document.js';
import {
  onResponseClose,
  SendBufferLimit,
  type Throttle,
  throttleConnections,
} from '../../edge/connections.js';
import { isColumnar, isRowStream, mediaType, withoutQuery } from '../../edge/request.js';
import { type ProblemError, problem, unavailable } from '../../problems/problem.js';
import { BodyMemory } from './body-memory.js';
import { RequestGate } from './request-gate.js';

/** The most bytes of bodies in memory at once; parsed values take several times as much. */
const BODY_MEMORY = 128 * 1024 * 1024;

/** The maximum streams at once. One of text holds at most two lines of 1 MiB, so its bytes need no counting. */
const MAX_STREAMS = 8;

/** The maximum of these that are Arrow or Parquet, each of which may hold 256 MiB in its process. */
const MAX_COLUMN_STREAMS = 3;

/** The wait before a stream is tried again, in seconds: it takes longer than a prediction. */
const STREAM_RETRY_SECONDS = 5;

/** The limits of an operation. Both throw the problem of a request that is refused. */
export interface OperationLimits {
  /** As soon as the caller is known. */
  admit(req: Request, res: Response, caller: Caller): void;
  /** When the body has arrived, and before it is parsed: waits for a slot, if none is free. */
  enter(req: Request, res: Response, caller: Caller): Promise<void> | undefined;
}

/** Health checks have no limits, so that they work under any load. */
const UNLIMITED: OperationLimits = { admit: () => {}, enter: () => undefined };

/** Keeps callers, even hostile ones, from blocking the service for others. */
export class Limits {
  readonly bodyBudget = new BodyMemory(BODY_MEMORY);
  readonly throttle = throttleConnections();
  readonly #rate: RateLimit;
  readonly #gates: Readonly<Record<Exclude<Pool, 'answers'>, RequestGate>>;
  readonly #streams: Readonly<Record<'rows' | 'columns' | 'answers', StreamGate>>;
  readonly #predictions: readonly { readonly method: string; readonly address: RegExp }[];

  /**
   * @param config the most requests per key and minute (0 for no limit), and the most answers of
   *   agents at once
   * @param operations the operations of the contract
   */
  constructor(
    { rateLimit, maxAnswers }: { readonly rateLimit: number; readonly maxAnswers: number },
    operations: readonly Operation[],
  ) {
    const { throttle } = this;
    const unread = new SendBufferLimit();
    const gate = (what: string, atOnce: number, waiting: number) =>
      new RequestGate({ what, atOnce, waiting }, throttle, unread);
    this.#rate = new RateLimit(rateLimit, throttle);
    this.#gates = {
      predictions: gate('predictions', 1, 35),
      tables: gate('tables', 4, 32),
      requests: gate('requests', 32, 608),
      // Anyone may send these, so they have a room of their own.
      oauth: gate('requests of OAuth', 32, 32),
    };
    this.#streams = {
      rows: new StreamGate('streams', MAX_STREAMS, throttle),
      columns: new StreamGate(
        'bodies of Arrow and Parquet to predict',
        MAX_COLUMN_STREAMS,
        throttle,
      ),
      // An answer waits for a chat server most of the time, and uses little of the processor.
      answers: new StreamGate('answers of agents', maxAnswers, throttle),
    };
    this.#predictions = operations
      .filter(({ pool }) => pool === 'predictions')
      .map(({ method, path }) => ({
        method: method.toUpperCase(),
        address: new RegExp(`${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
      }));
  }

  ofOperation({ isOpen, pool }: Operation): OperationLimits {
    if (isOpen && pool === 'requests') return UNLIMITED;
    const { rows, columns, answers } = this.#streams;
    const gate = pool === 'answers' ? undefined : this.#gates[pool];
    const isStream = (req: Request) =>
      !gate || (pool === 'predictions' && isRowStream(mediaType(req)));
    return {
      admit: (req, res, caller) => {
        this.#rate.count(req, res, caller);
        if (!gate) answers.enter(req, res, caller);
        else if (isStream(req)) {
          if (isColumnar(mediaType(req))) columns.enter(req, res, caller);
          rows.enter(req, res, caller);
        } else gate.reserve(req, res, caller);
      },
      enter: (req, res, caller) =>
        gate && !isStream(req) ? gate.enter(req, res, caller) : undefined,
    };
  }

  /**
   * Counts a request that has a slot among the answers of agents: it waits for a chat server, and others work
   * in its slot.
   * @throws {ProblemError} if there is no room
   */
  joinAnswers(req: Request, res: Response, caller: Caller): void {
    this.#streams.answers.enter(req, res, caller);
    res.locals.slot?.pause();
  }

  /**
   * Returns the problem of a prediction for which there is no room, judged by its request line and headers:
   * there can be so many predictions that refusing one must cost less than running it.
   */
  overloadProblem(req: IncomingMessage): ProblemError | undefined {
    const path = withoutQuery(req.url ?? '');
    const isPrediction = this.#predictions.some(
      ({ method, address }) => method === req.method && address.test(path),
    );
    return isPrediction && !isRowStream(mediaType(req))
      ? this.#gates.predictions.overloadProblem
      : undefined;
  }
}

/**
 * Limits the streams at once. A stream keeps its slot until it ends, and no stream waits for one,
 * because nobody knows for how long. With several owners, none has more than half of the slots.
 */
export class StreamGate {
  readonly #gate: FairGate;

  constructor(
    private readonly what: string,
    private readonly slots: number,
    private readonly throttle: Throttle,
  ) {
    const busy = () => this.#problem();
    this.#gate = new FairGate({ slots, slotsPerOwner: Math.ceil(slots / 2), maxWaiting: 0, busy });
  }

  /** @throws {ProblemError} if there is no slot */
  enter(req: Request, res: Response, caller: Caller): void {
    const { owner, key } = caller;
    // Without keys there is only one owner, and no slots to reserve for others.
    if (!this.#gate.tryEnter(owner, key ? undefined : this.slots)) {
      this.throttle(req, res, caller);
      throw this.#problem();
    }
    onResponseClose(req, res, () => this.#gate.leave(owner));
  }

  #problem(): ProblemError {
    return unavailable(
      `The service has as many ${this.what} as it takes on at once; try again in a moment.`,
      STREAM_RETRY_SECONDS,
    );
  }
}

const WINDOW_SECONDS = 60;

/** The minute in which a key's requests are counted. It begins with a request. */
interface Window {
  requests: number;
  /** The end of the window, as given by `performance.now()`. */
  readonly end: number;
  /** The value of `RateLimit-Policy`. */
  readonly policy: string;
}

/**
 * Limits the requests of a key to this instance per minute, and reports the rest in the headers
 * `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-08). Without keys there
 * is one local caller, who is not limited.
 */
export class RateLimit {
  /** By the id of the key, in the order of their ends. */
  readonly #windows = new Map<string, Window>();

  /** @param max the most requests; 0 for no limit */
  constructor(
    private readonly max: number,
    private readonly throttle: Throttle,
  ) {}

  /** @throws {ProblemError} if the key has sent too many requests */
  count(req: Request, res: Response, caller: Caller): void {
    const { max } = this;
    const keyId = caller.key?.id;
    if (max === 0 || !keyId) return;
    const now = performance.now();
    const known = this.#windows.get(keyId);
    const window = known && now < known.end ? known : this.#begin(keyId, now);
    window.requests += 1;
    const seconds = Math.ceil((window.end - now) / 1000);
    const left = Math.max(max - window.requests, 0);
    res.setHeader('RateLimit', `"key"; r=${left}; t=${seconds}`);
    res.setHeader('RateLimit-Policy', window.policy);
    if (window.requests <= max) return;
    res.setHeader('Retry-After', String(seconds));
    this.throttle(req, res, caller);
    throw problem(
      '/problems/too-many-requests',
      `The key has sent ${max} requests within ${WINDOW_SECONDS} seconds, the most that it may; try again in ${seconds} seconds.`,
    );
  }

  /** Begins a window, and forgets those that are over. */
  #begin(keyId: string, now: number): Window {
    for (const [id, { end }] of this.#windows) {
      if (now < end) break;
      this.#windows.delete(id);
    }
    const end = now + WINDOW_SECONDS * 1000;
    const window = { requests: 0, end, policy: formatPolicy(keyId, this.max) };
    this.#windows.set(keyId, window);
    return window;
  }
}

/** The partition key identifies the key without disclosing it, as a byte sequence (RFC 8941, section 3.3.5). */
function formatPolicy(keyId: string, max: number): string {
  const partition = Buffer.from(hash('sha256', keyId).slice(0, 12)).toString('base64');
  return `"key"; q=${max}; w=${WINDOW_SECONDS}; pk=:${partition}:`;
}
