import { type ProblemError, problem, unavailable } from '../problems/problem.js';

/** Returns whether a caller's key is still valid; throws if this cannot be determined now. */
export type IsKeyValid = () => boolean | Promise<boolean>;

/**
 * The time between two checks of a key, in milliseconds. A result may be equally old, so a stream
 * ends within a second after its key.
 */
const KEY_CHECK_MS = 500;

/** The time for which a key is trusted while the store does not respond, in milliseconds. */
const TRUST_MS = 60_000;

/**
 * Watches the key of a long request until the returned function is called.
 * @param onEnd called, possibly repeatedly, with the problem of a revoked or expired key
 */
export function watchKey(
  isKeyValid: IsKeyValid,
  onEnd: (reason: ProblemError) => void,
): () => void {
  let confirmedAt = performance.now();
  let isAsking = false;
  const check = async () => {
    if (isAsking) return;
    isAsking = true;
    try {
      if (!(await isKeyValid())) onEnd(keyEnded());
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
