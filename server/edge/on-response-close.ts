import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The callbacks for a response's close; one listener calls them all. */
const closing = Symbol('closing');

/** A property, because a WeakMap of all responses costs the garbage collector too much. */
type Closing = ServerResponse & { [closing]?: (() => void)[] };

/** The callbacks of responses that are queued behind others, by connection. */
const queued = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back when a response was sent, or can no longer be sent.
 *
 * Node closes a response when its connection closes, but not a response that is queued behind
 * another on the same connection (HTTP pipelining: RFC 9112, section 9.3.2). For these, the
 * connection is watched.
 */
export function onResponseClose(req: IncomingMessage, res: Closing, done: () => void): void {
  if (res.closed || (!res.socket && req.socket.destroyed)) {
    queueMicrotask(done);
    return;
  }
  if (res.socket) {
    onClose(res, done);
    return;
  }
  const waiting = queuedOn(req.socket);
  const once = () => {
    if (waiting.delete(once)) done();
  };
  waiting.add(once);
  onClose(res, once);
}

function onClose(res: Closing, done: () => void): void {
  const others = res[closing];
  if (others) {
    others.push(done);
    return;
  }
  const all = [done];
  res[closing] = all;
  res.once('close', () => {
    for (const each of all) each();
  });
}

/**
 * Returns whether the whole response was sent; otherwise the caller disconnected, or the service
 * cut it off.
 */
export function wasSent(res: ServerResponse): boolean {
  return res.writableFinished;
}

/** Returns the callbacks of a connection, which share one listener. */
function queuedOn(socket: Socket): Set<() => void> {
  const known = queued.get(socket);
  if (known) return known;
  const waiting = new Set<() => void>();
  queued.set(socket, waiting);
  socket.once('close', () => {
    for (const once of waiting) once();
  });
  return waiting;
}
