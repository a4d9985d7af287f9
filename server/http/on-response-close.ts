import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The callbacks of a response's close: one listener calls all of them. */
const closing = Symbol('closing');

/** A property of its own, as a WeakMap of all responses costs the garbage collector too much. */
type Closing = ServerResponse & { [closing]?: (() => void)[] };

/** The callbacks of responses that wait behind others, by their connection. */
const queued = new WeakMap<Socket, Set<() => void>>();

/**
 * Calls back once, when an answer has gone out or no longer can.
 *
 * Node closes a response when its connection goes, but not one that still waits behind another on the
 * same connection (HTTP pipelining: RFC 9112, section 9.3.2). For such a one the connection is watched.
 */
export function atClose(req: IncomingMessage, res: Closing, done: () => void): void {
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

/** Whether the whole answer went out; otherwise the caller left, or the service cut it short. */
export function wentOut(res: ServerResponse): boolean {
  return res.writableFinished;
}

/** One listener a connection, however much is queued on it. */
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
