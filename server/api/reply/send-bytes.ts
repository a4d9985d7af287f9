import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import { freeMemory } from '../../common/free-memory.js';
import { responsesBegun } from '../../edge/malformed-request.js';
import { disableBodyTimeout } from '../../edge/request-body.js';
import type { ByteStream, StreamPiece } from '../handlers.js';
import { type AroundStream, endEarly } from './send-ndjson.js';
import { GONE, STREAM_TIMES, StreamDeadline } from './stream-deadline.js';

/** A request that is not a stream may finish when the service stops, and its key was checked. */
const NEVER = new AbortController().signal;
const isAlwaysValid = () => true;

type Pieces = AsyncIterator<StreamPiece>;

/**
 * Sends bytes as they are produced, and requests the next piece only when the reader has taken the
 * last one. Nothing is sent before the first bytes.
 * @throws the error of the pieces; if it comes after the first bytes, the response has begun
 */
export async function sendBytes(
  req: Request,
  res: Response,
  { mediaType, pieces, options: { isStream, areLines, trailer } }: ByteStream,
  { contract, stopping, noteFailure, isKeyValid, times = STREAM_TIMES }: AroundStream,
): Promise<void> {
  if (isStream) disableBodyTimeout(req);
  const end = isStream
    ? new StreamDeadline(req, res, times, stopping, isKeyValid)
    : new StreamDeadline(req, res, times, NEVER, isAlwaysValid);
  const source = pieces[Symbol.asyncIterator]();
  try {
    // HTTP/1.0 has no chunks, which trailers follow.
    const hasTrailer = trailer !== undefined && req.httpVersion !== '1.0';
    const next = () => nextBytes(res, source, end, hasTrailer);
    const first = await next();
    res.status(200).setHeader('Content-Type', mediaType);
    // A body that has arrived is soon answered or refused. The end of another may be far.
    const isNear = !isStream || req.complete;
    const second = isNear ? first && (await next()) : first;
    if (!first || !(second || isStream)) return sendWhole(res, first);
    if (hasTrailer) res.setHeader('Trailer', trailer);
    responsesBegun.add(req.socket);
    await write(res, first, end);
    if (second && second !== first) await write(res, second, end);
    for (let more = second && (await next()); more; more = await next()) {
      await write(res, more, end);
    }
    res.end();
  } catch (error) {
    if (error === GONE) res.destroy();
    else if (areLines && res.headersSent) {
      endEarly(req, res, error, { contract, noteFailure, times });
    } else throw error;
  } finally {
    end.release();
    responsesBegun.delete(req.socket);
    // Its source may wait for something that does not come any more.
    void source.return?.()?.catch(() => {});
  }
}

/** Returns the next bytes; undefined at the end. Sets the fields that come before them. */
async function nextBytes(
  res: Response,
  source: Pieces,
  end: StreamDeadline,
  hasTrailer: boolean,
): Promise<Uint8Array | undefined> {
  for (;;) {
    const next = await end.forSender(source.next());
    if (next.done) return undefined;
    if (next.value instanceof Uint8Array) return next.value;
    if (next.value === 'progress') continue;
    const { fields } = next.value;
    if (hasTrailer) res.addTrailers(fields);
    else if (!res.headersSent) for (const name in fields) res.setHeader(name, fields[name] ?? '');
  }
}

function sendWhole(res: Response, bytes: Uint8Array = new Uint8Array()): void {
  res.setHeader('Content-Length', bytes.length);
  res.end(bytes);
}

async function write(res: Response, bytes: Uint8Array, end: StreamDeadline): Promise<void> {
  const sent = (error: unknown) => {
    if (!error) freeMemory(bytes);
  };
  if (!res.write(bytes, sent)) await end.forReader(once(res, 'drain', { signal: end.signal }));
  await nextTurn();
}
