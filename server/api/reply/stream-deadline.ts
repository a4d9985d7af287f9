import type { Request, Response } from 'express';
import { onResponseClose } from '../../edge/responses.js';
import { type ProblemError, problem, unavailable } from '../../problems/problem.js';
import { type IsKeyValid, watchKey } from '../watch-key.js';

/** The timeouts of a stream, in milliseconds. */
export interface StreamTimes {
  /** The longest time until the next bytes come from the sender, or go to the reader. */
  readonly stalled: number;
  /** The longest time for the whole stream. */
  readonly longest: number;
  /**
   * The time for which input is discarded after an early end, so that the sender can still read the
   * reason.
   */
  readonly lingering: number;
}

export const STREAM_TIMES: StreamTimes = {
  stalled: 30_000,
  longest: 60 * 60 * 1000,
  lingering: 5_000,
};

/** The reason if the connection is closed or not read: no one can receive a problem. */
export const GONE = Symbol('gone');

/**
 * Ends a stream early: if its sender or its reader stalls, if it takes too long in total, if its
 * key is revoked or expires, if its connection closes, or if the service stops.
 */
export class StreamDeadline {
  readonly #over = new AbortController();
  readonly #times: StreamTimes;
  readonly #stopping: AbortSignal;
  readonly #patience: NodeJS.Timeout;
  readonly #leaveKey: () => void;
  #onStop = () => this.#end(unavailable('The service is stopping; send the rest in a moment.'));

  constructor(
    req: Request,
    res: Response,
    times: StreamTimes,
    stopping: AbortSignal,
    isKeyValid: IsKeyValid,
  ) {
    this.#times = times;
    this.#stopping = stopping;
    this.#patience = setTimeout(() => this.#end(tookTooLong(times.longest)), times.longest);
    this.#leaveKey = watchKey(isKeyValid, (reason) => this.#end(reason));
    stopping.addEventListener('abort', this.#onStop);
    if (stopping.aborted) this.#onStop();
    onResponseClose(req, res, () => {
      this.#end(GONE);
      this.release();
    });
  }

  /**
   * Waits for the next input.
   * @throws {ProblemError | typeof GONE} the reason if the stream ends first, or the error of the
   *   promise
   */
  forSender<T>(next: Promise<T>): Promise<T> {
    return this.#wait(next, sentNothing(this.#times.stalled));
  }

  /**
   * Waits until the reader has taken the output.
   * @throws {ProblemError | typeof GONE} the reason if the stream ends first, or the error of the
   *   promise
   */
  forReader<T>(taken: Promise<T>): Promise<T> {
    return this.#wait(taken, GONE);
  }

  /** Aborted when the stream ends early. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  release(): void {
    clearTimeout(this.#patience);
    this.#leaveKey();
    this.#stopping.removeEventListener('abort', this.#onStop);
  }

  #end(reason: ProblemError | typeof GONE): void {
    this.#over.abort(reason);
  }

  #wait<T>(promise: Promise<T>, whenStalled: ProblemError | typeof GONE): Promise<T> {
    const { signal } = this.#over;
    return new Promise((resolve, reject) => {
      const clock = setTimeout(() => this.#end(whenStalled), this.#times.stalled);
      const settled = () => {
        clearTimeout(clock);
        signal.removeEventListener('abort', leave);
      };
      const leave = () => {
        settled();
        reject(signal.reason);
      };
      signal.addEventListener('abort', leave);
      if (signal.aborted) leave();
      promise.finally(settled).then(resolve, reject);
    });
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
