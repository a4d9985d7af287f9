import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, Response } from 'express';
import type { Contract } from '../../contract/document.js';
import { responsesBegun } from '../../edge/malformed-request.js';
import { LINES_TYPE } from '../../edge/request.js';
import { disableBodyTimeout, hasSmallChunks } from '../../edge/request-body.js';
import { ProblemError, render } from '../../problems/problem.js';
import type { JsonLines } from '../handlers.js';
import { asProblem } from '../validation/to-problem.js';
import type { IsKeyValid } from '../watch-key.js';
import type { NoteFailure } from './error-handler.js';
import { GONE, STREAM_TIMES, StreamDeadline, type StreamTimes } from './stream-deadline.js';

/** The surroundings of a stream. */
export interface AroundStream {
  readonly contract: Contract;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly noteFailure: NoteFailure;
  readonly isKeyValid: IsKeyValid;
  readonly times?: StreamTimes;
}

/**
 * Sends lines as they are produced, and requests the next block only when the reader has taken the
 * last one. Other requests are served between two blocks. A stream that ends early ends with a line
 * that states the reason, if the connection still exists.
 */
export async function sendLines(
  req: Request,
  res: Response,
  { blocks }: JsonLines,
  { contract, stopping, noteFailure, isKeyValid, times = STREAM_TIMES }: AroundStream,
): Promise<void> {
  disableBodyTimeout(req);
  const end = new StreamDeadline(req, res, times, stopping, isKeyValid);
  const line = (error: ProblemError) => problemLine(contract, error, req, res);
  responsesBegun.add(req.socket);
  // Senders that wait for the response headers before they send lines need them now.
  res.status(200).type(LINES_TYPE).flushHeaders();
  try {
    const source = blocks[Symbol.asyncIterator]();
    for (;;) {
      const next = await end.forSender(source.next());
      if (next.done) break;
      const bytes = bytesOf(next.value, line);
      if (bytes.length > 0 && !res.write(bytes)) {
        await end.forReader(once(res, 'drain', { signal: end.signal }));
      }
      await nextTurn();
    }
    res.end();
  } catch (thrown) {
    endEarly(req, res, thrown, { contract, noteFailure, times });
  } finally {
    end.release();
    responsesBegun.delete(req.socket);
  }
}

function bytesOf(
  block: readonly (Uint8Array | ProblemError)[],
  line: (error: ProblemError) => Uint8Array,
): Uint8Array {
  const parts = block.map((part) => (part instanceof ProblemError ? line(part) : part));
  const [first] = parts;
  return first && parts.length === 1 ? first : Buffer.concat(parts);
}

function problemLine(
  contract: Contract,
  error: ProblemError,
  { originalUrl }: Request,
  { locals }: Response,
): Buffer {
  const at = { instance: originalUrl, requestId: locals.requestId ?? '' };
  return Buffer.from(`${JSON.stringify({ problem: render(contract, error, at) })}\n`);
}

/** Sends a last line with the reason for the early end of lines, and discards further input for a while. */
export function endEarly(
  req: Request,
  res: Response,
  thrown: unknown,
  { contract, noteFailure, times }: Required<Omit<AroundStream, 'stopping' | 'isKeyValid'>>,
): void {
  if (thrown === GONE || req.socket.destroyed) {
    res.destroy();
    return;
  }
  const request = { body: undefined, operationId: res.locals.operationId, params: {} };
  const error = asProblem(contract, thrown, request, () => undefined);
  if (error.cause) noteFailure(req, res, error.cause, 'a stream failed');
  const { socket } = req;
  const line = problemLine(contract, error, req, res);
  req.unpipe();
  if (hasSmallChunks(req)) {
    req.pause();
    res.end(line, () => socket.destroy());
    return;
  }
  res.end(line);
  req.resume();
  const patience = setTimeout(() => socket.destroy(), times.lingering);
  const left = () => clearTimeout(patience);
  req.once('end', left);
  socket.once('close', left);
}
