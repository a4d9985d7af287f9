import type { Middleware } from 'openapi-fetch';
import { sentAgain } from '../body-source.js';
import { retryAfter } from '../retry-after.js';
import { wait } from '../wait.js';
import { isRepeatable, takesIdempotencyKey } from './repeatable.js';

/** How often, and for how long, a request is sent again. Times are in milliseconds. */
export interface RetryOptions {
  /** How often a request is sent at most, the first time included: 4, if not given. */
  attempts?: number;
  /** For how long after the first time it may be sent again: 30,000, if not given. */
  within?: number;
  /** The wait before the first repetition, at most, where the answer does not name one: 250, if not given. It doubles each time. */
  delay?: number;
  /** The longest wait that it doubles to: 5,000 by default. */
  longestDelay?: number;
}

type Called = Parameters<NonNullable<Middleware['onRequest']>>[0];

type Outcome = { response: Response } | { error: unknown };

/** The statuses of a proxy that did not reach the service, and of a service that is busy. */
const FOR_NOW = [502, 503, 504];

/**
 * Sends a request again when the network fails, or when the answer is one for now: 429, 502, 503, 504.
 *
 * It waits as long as `Retry-After` asks; without that, a random time that doubles at most each time
 * ("full jitter": https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/), so that
 * clients which failed together do not come again together. When there is no time or attempt left, the
 * last outcome is the call's.
 *
 * Only what does no harm when it is carried out twice is sent again: reading, predicting, updating,
 * deleting, a creation with an `Idempotency-Key`, and a training with `If-Match` or `If-None-Match`. After 429 it
 * is any request, for that one was not carried out. A body that is a stream is never sent again.
 *
 * It goes last into `use`, so that the other middleware sees one request and one answer.
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

  /** Sends again until there is an outcome to stay with. */
  async function settle(called: Called, first: Outcome): Promise<Outcome> {
    const { request, options } = called;
    const call = calls.get(options);
    let outcome = first;
    while (call && call.sent < attempts && isWorthRepeating(called, outcome)) {
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

function isWorthRepeating({ request, schemaPath }: Called, outcome: Outcome): boolean {
  if ('error' in outcome) {
    // fetch says by a TypeError that the network failed, and by the signal's reason that it was aborted.
    return outcome.error instanceof TypeError && isRepeatable(request, schemaPath);
  }
  const { status, headers } = outcome.response;
  if (status === 429) return true;
  // The first request under this key is still in progress; its answer is to come. The other conflicts of a
  // creation do not name a time.
  if (status === 409 && headers.has('Retry-After')) {
    return takesIdempotencyKey(request.method, schemaPath) && isRepeatable(request, schemaPath);
  }
  return FOR_NOW.includes(status) && isRepeatable(request, schemaPath);
}

async function send(fetch: (request: Request) => Promise<Response>, request: Request) {
  try {
    return { response: await fetch(request) };
  } catch (error) {
    return { error };
  }
}

/** Gives up an answer that nobody will read, and with it the connection that it would hold. */
async function leave(outcome: Outcome): Promise<void> {
  if ('response' in outcome && !outcome.response.body?.locked)
    await outcome.response.body?.cancel();
}
