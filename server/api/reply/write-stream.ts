import { once } from 'node:events';
import type { Response } from 'express';
import { freeMemory } from '../../common/free-memory.js';
import { unlessAborted } from '../../common/unless-aborted.js';
import { Exchange } from '../../edge/exchange.js';
import { responsesBegun } from '../../edge/malformed-request.js';
import { type ProblemError, problem } from '../../problems/problem.js';
import { pauseWork } from '../limits/index.js';
import { abortWithRequest, type EarlyEnd } from '../request-signal.js';

/** Bytes, or text of about the same size; an empty one signals progress. */
export type Chunk = string | Uint8Array;

/** The number of characters that are sent at once. A shorter answer is sent whole, with its length. */
export const CHUNK_SIZE = 64 * 1024;

/** The timeouts of an answer, in milliseconds. */
export interface StreamTimes {
  /** The longest time until the next bytes come from the source, or go to the reader. */
  readonly stalled: number;
  readonly longest: number;
  /** The time for which input is discarded after an early end, so that its sender can read why. */
  readonly discarding: number;
}

/** The way from the items of a source to an answer, and the reasons to end it early. */
export interface StreamPolicy<T> {
  readonly encode: (item: T) => Chunk;
  readonly times: Partial<StreamTimes>;
  /**
   * True if items are sent as they come: the source may be silent for a while, and the reader has to
   * take each chunk in time. Otherwise the connection may not be silent for long.
   */
  readonly isLive?: boolean;
  /** True if the source waits for a sender or a process, which may stall. */
  readonly mayStall?: boolean;
  /** Ends the answer of a long request, when the service stops or when the key of its caller ends. */
  readonly watch?: EarlyEnd | undefined;
  /**
   * The chunks that are awaited before anything is sent: an error before is a problem. If there are
   * fewer, the answer is whole. Asked before each.
   */
  readonly readAhead: () => 0 | 1 | 2;
  /** Sends an answer of one chunk as a stream, too. */
  readonly isEndless?: boolean;
  /** Lets others work between two chunks. Without it, the chunks of one turn are written at once. */
  readonly pause?: () => Promise<unknown>;
  /** Called when an answer of several chunks begins. */
  readonly onBegin?: () => void;
  /** Ends an answer that has begun with the reason of an error. Without it, the answer is cut off. */
  readonly endEarly?: ((error: unknown) => void) | undefined;
  /** Frees the memory of bytes that were sent; nobody else may use them. */
  readonly freesBytes?: boolean;
}

/** The reason if the connection is closed or not read: no one can receive a problem. */
const GONE = Symbol('gone');

/** Texts and bytes that together form one body. */
export type Pieces = Iterable<Chunk> | AsyncIterable<string>;

/** The longest time to send an answer whose source does not stall, in milliseconds. */
const SENDING_TIMEOUT_MS = 600_000;

/** Writes a body in pieces; other requests are served between two portions of it. */
export function writePieces(res: Response, pieces: Pieces): Promise<void> {
  return writeStream(res, joinPieces(pieces), {
    encode: (chunk) => chunk,
    times: { longest: SENDING_TIMEOUT_MS },
    readAhead: () => 2,
    pause: () => pauseWork(res),
  });
}

/** Joins texts to chunks of at least CHUNK_SIZE, but for the last. */
async function* joinPieces(pieces: Pieces): AsyncGenerator<Chunk, undefined> {
  let text = '';
  for await (const piece of pieces) {
    const isText = typeof piece === 'string';
    if (isText) text += piece;
    if (text.length >= CHUNK_SIZE || (!isText && text !== '')) {
      yield text;
      text = '';
    }
    if (!isText) yield piece;
  }
  if (text !== '') yield text;
}

/**
 * Writes the items of a source as they are produced, and requests the next one only when the reader
 * has taken the last one. If it has fewer chunks than are read ahead, the answer is written whole.
 * @throws the error of the source; if it comes after the first chunk, the response has begun
 */
export async function writeStream<T>(
  res: Response,
  source: Iterator<T> | AsyncIterator<T>,
  policy: StreamPolicy<T>,
): Promise<void> {
  const { req } = res;
  const { encode, readAhead, pause, endEarly, freesBytes } = policy;
  const deadline = new StreamDeadline(res, policy);
  const write = (chunk: Chunk): boolean => {
    if (chunk.length === 0) return true;
    if (!pause) corkForTurn(res);
    if (!freesBytes || typeof chunk === 'string') return res.write(chunk);
    return res.write(chunk, (error) => {
      if (!error) freeMemory(chunk);
    });
  };
  const pauseBetween = async () => {
    await pause?.();
    deadline.signal.throwIfAborted();
  };
  try {
    const ahead: Chunk[] = [];
    while (ahead.length < readAhead()) {
      const next = await deadline.next(source);
      if (next.done) {
        if (policy.isEndless && ahead.length > 0) break;
        Exchange.of(res).end(ahead[0] ?? '');
        return;
      }
      const chunk = encode(next.value);
      if (chunk.length > 0) ahead.push(chunk);
      if (chunk.length >= CHUNK_SIZE) await pauseBetween();
    }
    responsesBegun.add(req.socket);
    // Without a listener, Node closes a connection that is silent for so long.
    if (!policy.isLive) res.setTimeout(policy.times.stalled ?? STALLED_TIMEOUT_MS);
    policy.onBegin?.();
    for (let chunk = ahead.shift(); ; chunk = ahead.shift()) {
      if (chunk === undefined) {
        const next = await deadline.next(source);
        if (next.done) break;
        chunk = encode(next.value);
      }
      if (!write(chunk)) await deadline.waitForReader(ahead[0]?.length ?? 0);
      if (pause) await pauseBetween();
    }
    // Node.js 22 drops what a response has corked when it ends.
    while (res.writableCorked > 0) res.uncork();
    res.end();
  } catch (error) {
    if (error === GONE) res.destroy();
    else if (endEarly && res.headersSent) endEarly(error);
    else throw error;
  } finally {
    deadline.release();
    responsesBegun.delete(req.socket);
    void leave(source).catch(() => {});
    if (res.writableEnded && res.socket?.writableLength) limitWait(res);
  }
}

/** Limits the time for which a complete answer waits for its reader, and its memory. */
export function limitWait(res: Response): void {
  const { bodyShare, slot, unread } = res.locals;
  // The answer no longer needs the body of the request.
  res.req.body = undefined;
  bodyShare?.release();
  const patience = setTimeout(() => res.destroy(), SENDING_TIMEOUT_MS);
  const endWait = slot && unread?.add(slot.owner, res.writableLength, () => res.destroy());
  Exchange.of(res).onClose(() => {
    clearTimeout(patience);
    endWait?.();
  });
  // Without a listener, Node closes a connection that times out.
  res.setTimeout(STALLED_TIMEOUT_MS);
}

/** Ends a source early, which may wait for something that does not come any more. */
async function leave(source: Iterator<unknown> | AsyncIterator<unknown>): Promise<void> {
  await source.return?.();
}

/** Writes what comes in this turn of the event loop at once: a write to the system costs more than an event. */
export function corkForTurn(res: Response): void {
  if (res.writableCorked > 0) return;
  res.cork();
  setImmediate(() => {
    if (!res.writableEnded) res.uncork();
  });
}

/** The longest time in which a caller may read nothing of an answer, in milliseconds. */
export const STALLED_TIMEOUT_MS = 30_000;

/** The longest time that a prompt reader takes, in milliseconds. */
const SLOW_READER_MS = 100;

/**
 * Ends an answer early: if its source or its reader stalls, if it takes too long in total, if its
 * key is revoked or expires, if its connection closes, or if the service stops.
 */
class StreamDeadline {
  readonly #over: AbortController;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly res: Response,
    private readonly policy: Pick<StreamPolicy<never>, 'times' | 'isLive' | 'mayStall' | 'watch'>,
  ) {
    const { longest } = policy.times;
    this.#over = abortWithRequest(res, GONE, policy.watch);
    const late = () => this.#over.abort(policy.mayStall ? tookTooLong(longest ?? 0) : GONE);
    this.#timer = longest ? setTimeout(late, longest) : undefined;
  }

  release(): void {
    clearTimeout(this.#timer);
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Waits for the next item.
   * @throws {ProblemError | typeof GONE} the reason if the answer ends first, if its source may stall
   */
  next<T>(source: Iterator<T> | AsyncIterator<T>): IteratorResult<T> | Promise<IteratorResult<T>> {
    const next = source.next();
    if (!this.policy.mayStall) return next;
    const stalled = this.policy.times.stalled ?? STALLED_TIMEOUT_MS;
    const timer = setTimeout(() => this.#over.abort(sentNothing(stalled)), stalled);
    return unlessAborted(Promise.resolve(next), this.signal).finally(() => clearTimeout(timer));
  }

  /**
   * Waits until the reader has taken what was written. A slow one does not hold the request's slot,
   * and may be cut off for the memory of its answer.
   * @param held the number of the next bytes, if they are already in memory
   * @throws {ProblemError | typeof GONE} the reason if the answer ends first
   */
  async waitForReader(held: number): Promise<void> {
    const { res } = this;
    let endWait: (() => void) | undefined;
    const slow = setTimeout(() => {
      const { slot, unread, bodyShare } = res.locals;
      slot?.pause();
      endWait = slot && unread?.add(slot.owner, res.writableLength + held, () => res.destroy());
      bodyShare?.trackBackpressure(() => res.destroy());
    }, SLOW_READER_MS);
    const { isLive, times } = this.policy;
    const stalled = times.stalled ?? STALLED_TIMEOUT_MS;
    const late = isLive ? setTimeout(() => this.#over.abort(GONE), stalled) : undefined;
    try {
      await once(res, 'drain', { signal: this.signal });
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(late);
      clearTimeout(slow);
      endWait?.();
    }
  }
}

function sentNothing(stalled: number): ProblemError {
  return problem(
    '/problems/request-timeout',
    `Nothing of the stream came for ${stalled / 1000} seconds; send the rest in another.`,
  );
}

function tookTooLong(longest: number): ProblemError {
  return problem(
    '/problems/request-timeout',
    `The stream has taken ${longest / 60_000} minutes, the most that one may; send the rest in another.`,
  );
}
