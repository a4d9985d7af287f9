import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChunkMeter, hasSmallChunks } from './chunk-size.js';
import { LINGER_MS } from './linger.js';
import { announcedLength, hasBody } from './message-body.js';

/** The rest of a body of at most so many bytes is read off, so that its connection is good for the next request. */
const SMALL = 1024 * 1024;

/** The most bytes that are read off before a connection is closed. */
const MAX_DISCARDED = 32 * 1024 * 1024;

/** How long the rest of a small body may take to arrive after the answer, in milliseconds. */
const REST_TIMEOUT_MS = 10_000;

/**
 * Ends an answer to a request whose body is not read. A body that would take long to arrive costs its
 * connection: the answer announces that (`Connection: close`), and the body is read off for a bounded time
 * only. Closing at once would reset the connection, and the client would lose the answer (RFC 9112, section 9.6).
 * @param body the whole of the answer's body, whose headers are set
 */
export function endUnread(req: IncomingMessage, res: ServerResponse, body: string): void {
  if (hasSmallChunks(req)) {
    endWithoutReading(req, res, body);
    return;
  }
  const isUnderWay = hasBody(req) && !req.complete;
  if (isUnderWay && (announcedLength(req) ?? SMALL + 1) > SMALL)
    res.setHeader('Connection', 'close');
  // A body that is read off is not kept: it takes no memory from others.
  req.unpipe();
  req.resume();
  const closes = res.getHeader('Connection') === 'close' || !res.shouldKeepAlive;
  if (!isUnderWay || !closes) {
    res.end(body);
    if (isUnderWay) boundRest(req);
    return;
  }
  res.flushHeaders();
  res.write(body);
  linger(req, () => res.end());
}

/** Ends an answer and its connection at once: reading the rest costs more than the refusal saves. */
function endWithoutReading(req: IncomingMessage, res: ServerResponse, body: string): void {
  req.unpipe();
  req.pause();
  res.setHeader('Connection', 'close');
  res.end(body, () => req.socket.destroy());
}

/** Ends a connection on which the rest of a body does not arrive. */
function boundRest(req: IncomingMessage): void {
  const clock = setTimeout(() => req.socket.destroy(), REST_TIMEOUT_MS);
  req.once('close', () => clearTimeout(clock));
}

/** Reads off the rest of a body until it ends, its sender leaves, or the bounds are reached. */
function linger(req: IncomingMessage, done: () => void): void {
  const meter = new ChunkMeter(req);
  let discarded = 0;
  const end = () => {
    clearTimeout(clock);
    req.off('data', count).off('end', end).off('close', end);
    done();
  };
  const count = ({ length }: Buffer) => {
    discarded += length;
    if (discarded <= MAX_DISCARDED && !meter.add(length)) return;
    req.pause();
    end();
  };
  const clock = setTimeout(end, LINGER_MS);
  req.on('data', count).once('end', end).once('close', end);
}
