import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { pauseReading, resumeReading } from './pause-reading.js';
import { holdTime } from './throttle-socket.js';

type Exchange = readonly [IncomingMessage, ServerResponse];

/** The requests that are queued behind another on their connection. */
const pipelined = Symbol('pipelined');

/** A property, because it is looked up at the end of every request. */
type Connection = Socket & { [pipelined]?: Exchange[] };

/**
 * Serves the requests of a connection one after another (HTTP pipelining: RFC 9112, section 9.3.2),
 * even if the sender writes many at once. Yields to the event loop between two of them, so that
 * other connections are served. A connection that is held after a refusal is not served until it is
 * released. While a request waits, the connection is not read, so only the requests of one read (64
 * KiB) can wait.
 */
export function serveInOrder(listener: RequestListener): RequestListener {
  const serve: RequestListener = (req, res) => {
    res.on('close', serveNextOf);
    listener(req, res);
  };
  const serveNext = (connection: Connection): void => {
    const waiting = connection[pipelined];
    if (!waiting) return;
    const held = connection.destroyed ? 0 : holdTime(connection);
    if (held > 0) {
      setTimeout(serveNext, held, connection);
      return;
    }
    const next = waiting.shift();
    if (waiting.length === 0 || !connection.writable) {
      delete connection[pipelined];
      resumeReading(connection, 'pipelined');
    }
    if (next && connection.writable) serve(...next);
  };
  function serveNextOf(this: ServerResponse): void {
    const connection: Connection = this.req.socket;
    if (connection[pipelined]) setImmediate(serveNext, connection);
  }
  return (req, res) => {
    // Node assigns a response its connection once earlier responses are sent.
    if (res.socket) serve(req, res);
    else wait(req, res);
  };
}

function wait(req: IncomingMessage, res: ServerResponse): void {
  const connection: Connection = req.socket;
  connection[pipelined] ??= [];
  connection[pipelined].push([req, res]);
  // Deferred, because Node resumes the connection at the end of the request, which is still to
  // come.
  process.nextTick(pauseReading, connection, 'pipelined');
}
