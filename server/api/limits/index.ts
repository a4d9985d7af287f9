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
import { type ProblemError, unavailable } from '../../problems/problem.js';
import { BodyMemory } from './body-memory.js';
import { RateLimit } from './rate-limit.js';
import { RequestGate } from './request-gate.js';

/** The most bytes of bodies in memory at once; parsed values take several times as much. */
const BODY_MEMORY = 128 * 1024 * 1024;

/** The maximum streams at once. One of text holds at most two lines of 1 MiB, so its bytes need no counting. */
const MAX_STREAMS = 8;

/** The maximum of these that are Arrow or Parquet, each of which may hold 256 MiB in its process. */
const MAX_COLUMN_STREAMS = 3;

/** The wait before a stream is tried again, in seconds: it takes longer than a prediction. */
const STREAM_RETRY_SECONDS = 5;

/** The limits of an operation, in two steps. Both throw the problem of a request that is refused. */
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
  readonly #streams = new StreamGate('streams', MAX_STREAMS, this.throttle);
  readonly #columnStreams = new StreamGate(
    'bodies of Arrow and Parquet to predict',
    MAX_COLUMN_STREAMS,
    this.throttle,
  );
  readonly #answers: StreamGate;
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
    const unread = new SendBufferLimit();
    const gate = (what: string, atOnce: number, waiting: number) =>
      new RequestGate({ what, atOnce, waiting }, this.throttle, unread);
    this.#rate = new RateLimit(rateLimit, this.throttle);
    this.#gates = {
      predictions: gate('predictions', 1, 35),
      tables: gate('tables', 4, 32),
      requests: gate('requests', 32, 608),
    };
    // An answer waits for a chat server most of the time, and uses little of the processor.
    this.#answers = new StreamGate('answers of agents', maxAnswers, this.throttle);
    this.#predictions = operations
      .filter(({ pool }) => pool === 'predictions')
      .map(({ method, path }) => ({
        method: method.toUpperCase(),
        address: new RegExp(`${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
      }));
  }

  ofOperation({ isOpen, pool }: Operation): OperationLimits {
    if (isOpen) return UNLIMITED;
    if (pool === 'answers') {
      const admit: OperationLimits['admit'] = (req, res, caller) => {
        this.#rate.count(req, res, caller);
        this.#answers.enter(req, res, caller);
      };
      return { admit, enter: () => undefined };
    }
    const gate = this.#gates[pool];
    const isStream = (req: Request) => pool === 'predictions' && isRowStream(mediaType(req));
    return {
      admit: (req, res, caller) => {
        this.#rate.count(req, res, caller);
        if (isStream(req)) this.#enterStream(req, res, caller);
        else gate.reserve(req, res, caller);
      },
      enter: (req, res, caller) => (isStream(req) ? undefined : gate.enter(req, res, caller)),
    };
  }

  #enterStream(req: Request, res: Response, caller: Caller): void {
    if (isColumnar(mediaType(req))) this.#columnStreams.enter(req, res, caller);
    this.#streams.enter(req, res, caller);
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
