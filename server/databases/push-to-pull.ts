import { once } from 'node:events';
import { PassThrough } from 'node:stream';

/** Takes a piece, and resolves when there is room for another. */
type Push = (piece: Uint8Array) => Promise<void>;

/** The bytes that wait for the reader at most, beside the last piece. */
const WAITING_BYTES = 256 * 1024;

/**
 * Returns the pieces that some work pushes, for a reader who pulls them. The work begins with the
 * first pull, and waits for the reader.
 * @param work gets a signal that aborts with `signal`, and when the reader leaves early
 * @throws the error of the work, or the reason of `signal`
 */
export async function* pushToPull(
  work: (push: Push, signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  signal.throwIfAborted();
  const over = new AbortController();
  const forward = () => over.abort(signal.reason);
  signal.addEventListener('abort', forward);
  const pieces = new PassThrough({ highWaterMark: WAITING_BYTES });
  const push = async (piece: Uint8Array) => {
    over.signal.throwIfAborted();
    if (!pieces.write(piece)) await once(pieces, 'drain', { signal: over.signal });
  };
  const working = work(push, over.signal).then(
    () => pieces.end(),
    (error) => pieces.destroy(signal.aborted ? signal.reason : error),
  );
  try {
    yield* pieces;
  } finally {
    signal.removeEventListener('abort', forward);
    over.abort();
    await working;
  }
}
