import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Operation, Pool } from '../../../contract/document.js';
import type { Caller } from '../../auth/caller.js';
import { FairGate, type QueueLength, Slot } from '../../common/fair-gate.js';
import { Exchange } from '../../edge/exchange.js';
import { type Throttle, throttleConnections } from '../../edge/refusals.js';
import { hasBody, isColumnar, isRowStream, mediaType, withoutQuery } from '../../edge/request.js';
import { type ProblemError, unavailable } from '../../problems/problem.js';
import { BodyMemory, SendBufferLimit } from './memory.js';
import type { RateLimits } from './rate-limits.js';

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
  /** As soon as the caller is known: asks the store for some requests of a key that has its own limits. */
  readonly admit: (req: Request, res: Response, caller: Caller) => Promise<void> | void;
  /**
   * When the body has arrived, and before it is parsed: waits for a slot, if none is free. The request has it until its
   * response is sent or waits for its reader, or a time limit is reached. A caller who disconnects waits forever.
   */
  readonly enter?: ((req: Request, res: Response, caller: Caller) => Promise<void> | undefined) | undefined;
}

/** Health checks have no limits, so that they work under any load. */
const UNLIMITED: OperationLimits = { admit: () => {} };

/** The requests, or the streams, that share their slots: refuses those for which there is no room. */
export interface Room extends OperationLimits {
  readonly gate: FairGate;
  readonly busy: () => ProblemError;
  /** Before the body is read. */
  readonly admit: (req: Request, res: Response, caller: Caller) => void;
}

export interface Capacity {
  /** The plural name of the requests, for the detail of a refusal, such as "predictions". */
  readonly what: string;
  readonly atOnce: number;
  /** The most requests that wait for a slot. */
  readonly waiting: number;
}

/**
 * Limits the requests that run and wait; refuses all others at once. Owners take turns, and the requests of one owner
 * run in the order in which they came. A request that works in slices lets other owners run between them. With several
 * owners, none has more than half of the room, including what is reserved for arriving bodies, for as long as a body
 * takes that is sent at once.
 */
export function limitRequests(
  { what, atOnce, waiting }: Capacity,
  throttle: Throttle,
  unread = new SendBufferLimit(),
): Room {
  const busy = () =>
    unavailable(`The service has as many ${what} to do as it takes on at once; try again in a moment.`);
  const gate = new FairGate({ slots: atOnce, slotsPerOwner: atOnce, maxWaiting: waiting, busy });
  const refuseWithoutRoom = (req: Request, res: Response, caller: Caller) => {
    // Without keys there is only one owner, and no room to reserve for others.
    if (gate.makeRoom(caller.owner, caller.id === null)) return;
    throttle(req, res, caller);
    throw busy();
  };
  return {
    gate,
    busy,
    admit: (req, res, caller) => {
      refuseWithoutRoom(req, res, caller);
      if (!hasBody(req)) return;
      const reservation = gate.reserve(caller.owner);
      res.locals.reservation = reservation;
      Exchange.of(res).onClose(() => gate.giveUp(reservation));
    },
    enter: (req, res, caller) => {
      const { reservation } = res.locals;
      if (reservation) gate.giveUp(reservation);
      refuseWithoutRoom(req, res, caller);
      const slot = new Slot(gate, caller.owner);
      res.locals.slot = slot;
      res.locals.unread = unread;
      Exchange.of(res).onClose(() => slot.end());
      // Nobody works for a caller who disconnected while the body was read, or while the request waited.
      if (req.socket.destroyed) return new Promise(() => {});
      if (slot.tryEnter()) return undefined;
      return slot.wait().then(() => {
        if (!req.socket.destroyed) return undefined;
        slot.end();
        return new Promise(() => {});
      });
    },
  };
}

/**
 * Limits the streams at once. A stream keeps its slot until it ends, and no stream waits for one,
 * because nobody knows for how long. With several owners, none has more than half of the slots.
 */
export function limitStreams(what: string, slots: number, throttle: Throttle): Room {
  const busy = () =>
    unavailable(`The service has as many ${what} as it takes on at once; try again in a moment.`, STREAM_RETRY_SECONDS);
  const gate = new FairGate({ slots, slotsPerOwner: Math.ceil(slots / 2), maxWaiting: 0, busy });
  return {
    gate,
    busy,
    admit: (req, res, caller) => {
      const { owner } = caller;
      // Without keys there is only one owner, and no slots to reserve for others.
      if (!gate.tryEnter(owner, caller.id === null ? slots : undefined)) {
        throttle(req, res, caller);
        throw busy();
      }
      Exchange.of(res).onClose(() => gate.leave(owner));
    },
  };
}

/** Yields between two slices of the work on a request, to the event loop and to other requests. */
export async function pauseWork({ locals }: Response): Promise<void> {
  await nextTurn();
  await locals.slot?.letOthersWork();
}

/** Keeps callers, even hostile ones, from blocking the service for others. */
export class Limits {
  readonly bodyBudget = new BodyMemory(BODY_MEMORY);
  readonly throttle = throttleConnections();
  readonly #rooms: Readonly<Record<Pool | 'rows' | 'columns', Room>>;
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
    const requests = (what: string, atOnce: number, waiting: number) =>
      limitRequests({ what, atOnce, waiting }, throttle, unread);
    this.#rooms = {
      predictions: requests('predictions', 1, 35),
      tables: requests('tables', 4, 32),
      requests: requests('requests', 32, 608),
      // Anyone may send these, so they have a separate room.
      oauth: requests('requests of OAuth', 32, 32),
      rows: limitStreams('streams', MAX_STREAMS, throttle),
      columns: limitStreams('bodies of Arrow and Parquet to predict', MAX_COLUMN_STREAMS, throttle),
      // An answer waits for a chat server most of the time, and uses little of the processor.
      answers: limitStreams('answers of agents', maxAnswers, throttle),
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
    const { rates, throttle } = this;
    const room = pool === 'predictions' ? this.#roomOfPredictions() : this.#rooms[pool];
    return {
      admit: (req, res, caller) => {
        const counted = rates.admit(req, res, caller, throttle);
        return counted ? counted.then(() => room.admit(req, res, caller)) : room.admit(req, res, caller);
      },
      enter: room.enter,
    };
  }

  /** Rows that come as a stream have separate rooms. */
  #roomOfPredictions(): Pick<Room, 'admit' | 'enter'> {
    const { predictions, rows, columns } = this.#rooms;
    return {
      admit: (req, res, caller) => {
        const type = mediaType(req);
        if (isColumnar(type)) columns.admit(req, res, caller);
        (isRowStream(type) ? rows : predictions).admit(req, res, caller);
      },
      enter: (req, res, caller) => (isRowStream(mediaType(req)) ? undefined : predictions.enter?.(req, res, caller)),
    };
  }

  /** Returns the requests that wait and those that run, by the gate that they pass. */
  measureQueues(): Record<string, QueueLength> {
    return Object.fromEntries(Object.entries(this.#rooms).map(([name, { gate }]) => [name, gate.length]));
  }

  /**
   * Counts a request that has a slot among the answers of agents: it waits for a chat server, and others work
   * in its slot.
   * @throws {ProblemError} if there is no room
   */
  joinAnswers(req: Request, res: Response, caller: Caller): void {
    this.#rooms.answers.admit(req, res, caller);
    res.locals.slot?.pause();
  }

  /**
   * Returns the problem of a prediction for which there is no room, judged by its request line and headers:
   * there can be so many predictions that refusing one must cost less than running it.
   */
  readonly overloadProblem = (req: IncomingMessage): ProblemError | undefined => {
    const { gate, busy } = this.#rooms.predictions;
    if (!gate.isFull) return undefined;
    const path = withoutQuery(req.url ?? '');
    const isPrediction = this.#predictions.some(({ method, address }) => method === req.method && address.test(path));
    return isPrediction && !isRowStream(mediaType(req)) ? busy() : undefined;
  };
}
