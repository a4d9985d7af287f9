import type { Middleware } from 'openapi-fetch';
import { sentAgain } from '../request/body-source.js';
import { isRepeatable, takesIdempotencyKey } from './repeatable.js';
import { retryAfter } from './retry-after.js';
import { wait } from './wait.js';

/** Limits for retries. Times are in milliseconds. */
export interface RetryOptions {
  /** The most attempts, including the first. Default: 4. */
  attempts?: number;
  /** The time after the first attempt in which a request may be repeated. Default: 30,000. */
  within?: number;
  /**
   * The upper bound of the wait before the first retry, if the response does not state one. Doubles
   * with each retry. Default: 250.
   */
  delay?: number;
  /** The longest upper bound that the wait doubles to. Default: 5,000. */
  longestDelay?: number;
}

type Called = Parameters<NonNullable<Middleware['onRequest']>>[0];

type Outcome = { response: Response } | { error: unknown };

/** Statuses of a proxy that did not reach the service, and of a busy service. */
const FOR_NOW = [502, 503, 504];

/**
 * Repeats a request if the network fails, or if the response is temporary: 429, 502, 503, 504.
 *
 * It waits as long as `Retry-After` asks. Without this header it waits a random time whose upper
 * bound doubles with each attempt ("full jitter":
 * https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), so that clients that
 * fail together do not retry together. When attempts or time run out, the call returns the last
 * outcome.
 *
 * Only requests that are safe to repeat are repeated: reads, predictions, updates, deletions,
 * creations with an `Idempotency-Key`, and trainings with `If-Match` or `If-None-Match`. After 429
 * any request is repeated, because the service did not carry it out. A streamed body is never sent
 * again.
 *
 * Pass it last to `use`, so that other middleware sees one request and one response.
 */
export function retry({
  attempts = 4,
  within = 30_000,
  delay = 250,
  longestDelay = 5_000,
}: RetryOptions = {}): Middleware {
  const calls = new WeakMap<object, { began: number; sent: number }>();

  function waitFor(outcome: Outcome, sent: number): number {
    const asked = 'response' in outcome ? retryAfter(outcome.response) : undefined;
    return asked ?? Math.random() * Math.min(longestDelay, delay * 2 ** (sent - 1));
  }

  /** Repeats the request until an outcome is final. */
  async function settle(called: Called, first: Outcome): Promise<Outcome> {
    const { request, options } = called;
    const call = calls.get(options);
    let outcome = first;
    while (call && call.sent < attempts && (await isWorthRepeating(called, outcome))) {
      const pause = waitFor(outcome, call.sent);
      const next = sentAgain(request, options);
      if (!next || performance.now() - call.began + pause > within) break;
      await leave(outcome);
      await wait(pause, request.signal);
      call.sent += 1;
      outcome = await send(options.fetch, next);
    }
    return outcome;
  }

  return {
    onRequest({ options }) {
      calls.set(options, { began: performance.now(), sent: 1 });
    },
    async onResponse({ response, ...called }) {
      const outcome = await settle(called, { response });
      if ('error' in outcome) throw outcome.error;
      return outcome.response;
    },
    async onError({ error, ...called }) {
      const outcome = await settle(called, { error });
      if ('error' in outcome) throw outcome.error;
      return outcome.response;
    },
  };
}

async function isWorthRepeating({ request, schemaPath }: Called, outcome: Outcome): Promise<boolean> {
  if ('error' in outcome) {
    // If the network fails, fetch throws a TypeError by its standard, and an Error in Cloudflare
    // Workers. It also throws if the call was aborted.
    return !request.signal.aborted && isRepeatable(request, schemaPath);
  }
  const { status } = outcome.response;
  if (status === 429) return true;
  if (status === 409 && takesIdempotencyKey(request.method, schemaPath)) {
    return isRepeatable(request, schemaPath) && (await isInProgress(outcome.response));
  }
  return FOR_NOW.includes(status) && isRepeatable(request, schemaPath);
}

/** Returns true if the first request with the same key still runs, so that its response can be had later. */
async function isInProgress(response: Response): Promise<boolean> {
  const problem: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return (
    typeof problem === 'object' &&
    problem !== null &&
    'type' in problem &&
    problem.type === '/problems/request-in-progress'
  );
}

async function send(fetch: (request: Request) => Promise<Response>, request: Request) {
  try {
    return { response: await fetch(request) };
  } catch (error) {
    return { error };
  }
}

/** Cancels a response that nobody will read, to free its connection. */
async function leave(outcome: Outcome): Promise<void> {
  if ('response' in outcome && !outcome.response.body?.locked) await outcome.response.body?.cancel();
}
