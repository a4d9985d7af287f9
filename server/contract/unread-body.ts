import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { type ProblemError, problem } from './problems.js';

/** How long a sender may send nothing of a body, and how long all of it may take, in milliseconds. */
const PATIENCE = { silence: 30_000, whole: 60 * 60 * 1000 };

/** The most that is read of a body after its answer, in bytes, and for how long, in milliseconds. */
const MAX_REST = { bytes: 64 * 1024 * 1024, time: 10_000 };

/** A body that the contract leaves to the operation to read (`x-roster-reads-later`). */
export interface UnreadBody<MediaType extends string = string> {
  readonly mediaType: MediaType;
  /**
   * Its bytes as they come, to be read once, and to the end.
   * @throws {ProblemError} if there are too many, if they break off, if their sender keeps silent for too long,
   *   or if the sender's key is revoked or expires
   */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export function unreadBody(mediaType: string, stream: Readable, patience = PATIENCE): UnreadBody {
  return { mediaType, bytes: patiently(stream, patience) };
}

/** Only while somebody waits for bytes is it their sender's fault that none come. */
async function* patiently(
  stream: Readable,
  { silence, whole }: typeof PATIENCE,
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

/**
 * Closes the connection of a request whose answer went out before the end of its body, if the rest is long. A client
 * that sends its whole body before it reads needs some of it to be read, or it never sees the answer.
 */
export function boundUnreadRest(req: IncomingMessage, res: ServerResponse, most = MAX_REST): void {
  res.once('finish', () => {
    if (req.complete) return;
    const close = () => req.socket.destroy();
    const timeout = setTimeout(close, most.time);
    let rest = most.bytes;
    req.on('data', (chunk: Buffer) => {
      rest -= chunk.length;
      if (rest < 0) close();
    });
    req.once('close', () => clearTimeout(timeout));
  });
}

function tooSlow(): ProblemError {
  return problem(
    '/problems/request-timeout',
    'The request took too long to arrive; send it again, all at once.',
    {},
    { Connection: 'close' },
  );
}
