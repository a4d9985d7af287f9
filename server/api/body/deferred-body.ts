import type { Readable } from 'node:stream';
import { type ProblemError, problem } from '../../problems/problem.js';

/** The longest silence of a sender, and the longest time for a whole body, in milliseconds. */
const TIMEOUT_MS = { silence: 30_000, whole: 60 * 60 * 1000 };

/** A body that the handler reads itself (`x-roster-deferred-body`). */
export interface DeferredBody<MediaType extends string = string> {
  readonly mediaType: MediaType;
  /**
   * The bytes as they arrive, to be read once and to the end.
   * @throws {ProblemError} if there are too many bytes, if the body breaks off, if the sender is
   *   silent for too long, or if the sender's key is revoked or expires
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export function deferredBody(
  mediaType: string,
  stream: Readable,
  patience = TIMEOUT_MS,
): DeferredBody {
  return { mediaType, bytes: patiently(stream, patience) };
}

/** Times the sender only while a reader waits, since otherwise the reader causes the delay. */
async function* patiently(
  stream: Readable,
  { silence, whole }: typeof TIMEOUT_MS,
): AsyncGenerator<Uint8Array> {
  const end = performance.now() + whole;
  const chunks = stream[Symbol.asyncIterator]();
  for (;;) {
    const wait = Math.max(Math.min(silence, end - performance.now()), 0);
    const impatience = setTimeout(() => stream.destroy(tooSlow()), wait);
    const next = await chunks.next().finally(() => clearTimeout(impatience));
    if (next.done) return;
    yield next.value;
  }
}

function tooSlow(): ProblemError {
  return problem(
    '/problems/request-timeout',
    'The request took too long to arrive; send it again, all at once.',
    {},
    { Connection: 'close' },
  );
}
