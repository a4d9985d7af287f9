import type { IncomingMessage } from 'node:http';
import type { Request, Response } from 'express';
import type { Operation, Pool } from '../../../contract/document.js';
import type { Caller } from '../../auth/caller.js';
import { FairGate, type QueueLength } from '../../common/fair-gate.js';
import { onResponseClose, SendBufferLimit, type Throttle, throttleConnections } from '../../edge/connections.js';
import { isColumnar, isRowStream, mediaType, withoutQuery } from '../../edge/request.js';
import { type ProblemError, unavailable } from '../../problems/problem.js';
import { BodyMemory } from './body-memory.js';
import type { RateLimits } from './rate-limits.js';
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
  /** As soon as the caller is known: asks the store for some requests of a key that has limits of its own. */
  admit(req: Request, res: Response, caller: Caller): Promise<void> | undefined;
  /** When the body has arrived, and before it is parsed: waits for a slot, if none is free. */
  enter(req: Request, res: Response, caller: Caller): Promise<void> | undefined;
}

/** Health checks have no limits, so that they work under any load. */
const UNLIMITED: OperationLimits = { admit: () => undefined, enter: () => undefined };

/** Keeps callers, even hostile ones, from blocking the service for others. */
export class Limits {
  readonly bodyBudget = new BodyMemory(BODY_MEMORY);
  readonly throttle = throttleConnections();
  readonly #gates: Readonly<Record<Exclude<Pool, 'answers'>, RequestGate>>;
  readonly #streams: Readonly<Record<'rows' | 'columns' | 'answers', StreamGate>>;
  readonly #predictions: readonly { readonly method: string; readonly address: RegExp }[];

  /**
   * @param rates the limits of keys
   * @param maxAnswers the most answers of agents at once
   * @param operations the operations of the contract
   */
  constructor(
    private readonly rates: RateLimits,
    maxAnswers: number,
    operations: readonly Operation[],
  ) {
    const { throttle } = this;
    const unread = new SendBufferLimit();
    const gate = (what: string, atOnce: number, waiting: number) =>
      new RequestGate({ what, atOnce, waiting }, throttle, unread);
    this.#gates = {
      predictions: gate('predictions', 1, 35),
      tables: gate('tables', 4, 32),
      requests: gate('requests', 32, 608),
      // Anyone may send these, so they have a room of their own.
      oauth: gate('requests of OAuth', 32, 32),
    };
    this.#streams = {
      rows: new StreamGate('streams', MAX_STREAMS, throttle),
      columns: new StreamGate('bodies of Arrow and Parquet to predict', MAX_COLUMN_STREAMS, throttle),
      // An answer waits for a chat server most of the time, and uses little of the processor.
      answers: new StreamGate('answers of agents', maxAnswers, throttle),
    };
    this.#predictions = operations
      .filter(({ pool }) => pool === 'predictions')
      .map(({ method, path }) => {
        const steps = path.replaceAll(/\{[^{}]+\}/g, '[^/]+');
        // bounded: an address, whose steps have no slash in them
        return { method: method.toUpperCase(), address: new RegExp(`${steps}/?$`) };
      });
  }

  ofOperation({ isOpen, pool }: Operation): OperationLimits {
    if (isOpen && pool === 'requests') return UNLIMITED;
    const { rows, columns, answers } = this.#streams;
    const gate = pool === 'answers' ? undefined : this.#gates[pool];
    const isStream = (req: Request) => !gate || (pool === 'predictions' && isRowStream(mediaType(req)));
    const findRoom = (req: Request, res: Response, caller: Caller) => {
      if (!gate) answers.enter(req, res, caller);
      else if (isStream(req)) {
        if (isColumnar(mediaType(req))) columns.enter(req, res, caller);
        rows.enter(req, res, caller);
      } else gate.reserve(req, res, caller);
    };
    return {
      admit: (req, res, caller) => {
        const counted = this.rates.admit(req, res, caller, this.throttle);
        if (counted) return counted.then(() => findRoom(req, res, caller));
        findRoom(req, res, caller);
        return undefined;
      },
      enter: (req, res, caller) => (gate && !isStream(req) ? gate.enter(req, res, caller) : undefined),
    };
  }

  /** Returns the requests that wait and those that run, by the gate that they pass. */
  measureQueues(): Record<string, QueueLength> {
    return Object.fromEntries(
      Object.entries({ ...this.#gates, ...this.#streams }).map(([name, gate]) => [name, gate.length]),
    );
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
    const isPrediction = this.#predictions.some(({ method, address }) => method === req.method && address.test(path));
    return isPrediction && !isRowStream(mediaType(req)) ? this.#gates.predictions.overloadProblem : undefined;
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

  get length(): QueueLength {
    return this.#gate.length;
  }

  /** @throws {ProblemError} if there is no slot */
  enter(req: Request, res: Response, caller: Caller): void {
    const { owner } = caller;
    // Without keys there is only one owner, and no slots to reserve for others.
    const isLocal = caller.id === null;
    if (!this.#gate.tryEnter(owner, isLocal ? this.slots : undefined)) {
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
