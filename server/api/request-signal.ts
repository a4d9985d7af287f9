import type { Response } from 'express';
import type { Caller } from '../auth/caller.js';
import { callerEnded } from '../auth/identify-caller.js';
import { Exchange } from '../edge/exchange.js';
import { type ProblemError, unavailable } from '../problems/problem.js';

/** Returns whether a caller's key or token is still valid; throws if this cannot be determined now. */
export type IsValid = () => boolean | Promise<boolean>;

/**
 * The time between two checks of a caller, in milliseconds. A result may be equally old, so a stream
 * ends within a second after its key or token.
 */
const CHECK_MS = 500;

/** The time for which a key is trusted while the store does not respond, in milliseconds. */
const TRUST_MS = 60_000;

/** The causes that end a long request before its response is closed. */
export interface EarlyEnd {
  /** Its reason is the time that each request has had before it ends, in milliseconds; none if it is no number. */
  readonly stopping: AbortSignal;
  readonly isValid: IsValid;
  /** The advice to the caller after the stop, such as "ask again". */
  readonly advice: string;
}

/**
 * Returns a controller that is aborted when the response is closed, and with a problem when the key
 * or the token ends, or when the service stops.
 * @param gone the reason if the response is closed
 */
export function abortWithRequest(res: Response, gone: unknown, early?: EarlyEnd): AbortController {
  const over = new AbortController();
  const begun = performance.now();
  let ending: NodeJS.Timeout | undefined;
  const endNow = () => {
    over.abort(unavailable(`The service is stopping; ${early?.advice} in a moment.`));
  };
  const onStop = () => {
    const left = Number(early?.stopping.reason) - (performance.now() - begun);
    if (left > 0) ending = setTimeout(endNow, left);
    else endNow();
  };
  const leaveCaller = early && watchCaller(res.locals.caller, early.isValid, (reason) => over.abort(reason));
  if (early?.stopping.aborted) onStop();
  else early?.stopping.addEventListener('abort', onStop, { once: true });
  Exchange.of(res).onClose(() => {
    leaveCaller?.();
    early?.stopping.removeEventListener('abort', onStop);
    clearTimeout(ending);
    over.abort(gone);
  });
  return over;
}

/**
 * Watches the caller of a long request until the returned function is called.
 * @param onEnd called, possibly repeatedly, with the problem of a key or a token that has ended
 */
export function watchCaller(
  caller: Caller | undefined,
  isValid: IsValid,
  onEnd: (reason: ProblemError) => void,
): () => void {
  let confirmedAt = performance.now();
  let isAsking = false;
  const check = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      if (!(await isValid())) onEnd(callerEnded(caller));
      confirmedAt = performance.now();
    } catch (cause) {
      if (performance.now() - confirmedAt <= TRUST_MS) return;
      const detail = `The store could not confirm for ${TRUST_MS / 1000} seconds that the key is still good; send the rest in a moment.`;
      onEnd(unavailable(detail, 1, { cause }));
    } finally {
      isAsking = false;
    }
  };
  const clock = setInterval(() => void check(), CHECK_MS);
  return () => clearInterval(clock);
}
