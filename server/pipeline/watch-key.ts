import { type ProblemError, problem, unavailable } from '../problems/problem.js';

/** Returns whether a caller would still be let in; throws if that cannot be found out now. */
export type IsStillGood = () => boolean | Promise<boolean>;

/**
 * How often a key is looked at, in milliseconds. With an answer that is as old at most, a stream ends within
 * a second after its key.
 */
const KEY_CHECK_MS = 500;

/** How long a key is trusted while the store cannot tell whether it is good, in milliseconds. */
const TRUST_MS = 60_000;

/**
 * Watches the key of a request that goes on for long, until the function that it returns is called.
 * @param onEnd called, maybe repeatedly, with the problem of a key that was revoked or has expired
 */
export function watchKey(
  isStillGood: IsStillGood,
  onEnd: (reason: ProblemError) => void,
): () => void {
  let confirmedAt = performance.now();
  let isAsking = false;
  const check = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      if (!(await isStillGood())) onEnd(keyEnded());
      confirmedAt = performance.now();
    } catch (cause) {
      if (performance.now() - confirmedAt > TRUST_MS) onEnd(unknownKey(cause));
    } finally {
      isAsking = false;
    }
  };
  const clock = setInterval(() => void check(), KEY_CHECK_MS);
  return () => clearInterval(clock);
}

function keyEnded(): ProblemError {
  return problem(
    '/problems/unauthorized',
    'The key was revoked or expired while the request went on; send the rest with another key.',
    {},
    { 'WWW-Authenticate': 'Bearer realm="roster", error="invalid_token"', Connection: 'close' },
  );
}

function unknownKey(cause: unknown): ProblemError {
  return unavailable(
    `The store could not tell for ${TRUST_MS / 1000} seconds whether the key is still good; send the rest in a moment.`,
    1,
    { cause },
  );
}
