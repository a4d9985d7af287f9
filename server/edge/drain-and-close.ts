import type { IncomingMessage, ServerResponse } from 'node:http';
import { ChunkMeter, hasSmallChunks } from './chunk-size.js';
import { LINGER_MS } from './linger.js';
import { announcedLength, hasBody } from './message-body.js';

/**
 * The largest body, in bytes, whose rest is discarded so that its connection can serve the next
 * request.
 */
const SMALL = 1024 * 1024;

/** The most bytes that are discarded before a connection is closed. */
const MAX_DISCARDED = 32 * 1024 * 1024;

/**
 * The longest time in which the rest of a small body may arrive after the response, in
 * milliseconds.
 */
const REST_TIMEOUT_MS = 10_000;

/**
 * Ends the response to a request whose body is not read. If the body is large, the connection must
 * close: the response announces this (`Connection: close`), and the body is discarded for a limited
 * time. Closing at once would reset the connection, and the client would lose the response (RFC
 * 9112, section 9.6).
 * @param body the complete response body; its headers are already set
 */
export function endUnread(req: IncomingMessage, res: ServerResponse, body: string): void {
  if (hasSmallChunks(req)) {
    endWithoutReading(req, res, body);
    return;
  }
  const isUnderWay = hasBody(req) && !req.complete;
  if (isUnderWay && (announcedLength(req) ?? SMALL + 1) > SMALL)
    res.setHeader('Connection', 'close');
  // A discarded body uses no memory.
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

/**
 * Ends a response and its connection at once: reading the rest would cost more than the refusal
 * saves.
 */
function endWithoutReading(req: IncomingMessage, res: ServerResponse, body: string): void {
  req.unpipe();
  req.pause();
  res.setHeader('Connection', 'close');
  res.end(body, () => req.socket.destroy());
}

/** Ends a connection if the rest of a body does not arrive. */
function boundRest(req: IncomingMessage): void {
  const clock = setTimeout(() => req.socket.destroy(), REST_TIMEOUT_MS);
  req.once('close', () => clearTimeout(clock));
}

/** Discards the rest of a body until it ends, the sender disconnects, or a limit is reached. */
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
