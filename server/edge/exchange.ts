import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Deadlines } from '../common/deadlines.js';
import type { ProblemError } from '../problems/problem.js';
import { announcedLength, BodyMeter, hasBody, hasTinyChunks } from './request.js';

/** The requests that are queued behind another on their connection, and what serves them. */
interface Pipeline {
  readonly serve: RequestListener;
  readonly waiting: (readonly [IncomingMessage, ServerResponse])[];
}

const pipeline = Symbol('pipeline');

/** A property, because it is looked up at the end of every request. */
type Connection = Socket & { [pipeline]?: Pipeline };

/** The time until which each connection is throttled; several refusals extend it. */
const throttledUntil = new WeakMap<Socket, number>();

/**
 * Serves the requests of a connection one after another (HTTP pipelining: RFC 9112, section 9.3.2), even if the sender
 * writes many at once. Yields to the event loop between two of them, so that other connections are served. A connection
 * that is throttled after a refusal is not served until that ends. While a request waits, the connection is not read,
 * so only the requests of one read (64 KiB) can wait.
 */
export function serveInOrder(listener: RequestListener): RequestListener {
  const serve: RequestListener = (req, res) => {
    // Node assigns a response its connection once earlier responses are sent.
    if (res.socket) {
      // Calls for the next one at its end.
      Exchange.of(res);
      listener(req, res);
    } else enqueue(serve, req, res);
  };
  return serve;
}

function enqueue(serve: RequestListener, req: IncomingMessage, res: ServerResponse): void {
  const connection: Connection = req.socket;
  connection[pipeline] ??= { serve, waiting: [] };
  connection[pipeline].waiting.push([req, res]);
  // Deferred, because Node resumes the connection at the end of the request, which is still to come.
  process.nextTick(() => connection.pause());
}

function serveNext(connection: Connection): void {
  const { [pipeline]: queue } = connection;
  if (!queue) return;
  const until = connection.destroyed ? undefined : throttledUntil.get(connection);
  if (until !== undefined) {
    setTimeout(serveNext, Math.max(until - performance.now(), 1), connection);
    return;
  }
  const next = queue.waiting.shift();
  if (queue.waiting.length === 0 || !connection.writable) {
    delete connection[pipeline];
    resumeReading(connection);
  }
  if (next && connection.writable) queue.serve(...next);
}

function resumeReading(connection: Connection): void {
  if (!connection[pipeline] && !throttledUntil.has(connection)) connection.resume();
}

/**
 * The time between two moments at which connections are read again, in milliseconds. They are read together: what
 * wakes the service for one request doubles the cost of its refusal.
 */
const RELEASE_EVERY_MS = 50;

/** Stops reading a connection for a time, in milliseconds, and until the next moment at which others are read again. */
function throttleSocket(socket: Socket, time: number): void {
  const until = Math.ceil((performance.now() + time) / RELEASE_EVERY_MS) * RELEASE_EVERY_MS;
  const known = throttledUntil.get(socket);
  throttledUntil.set(socket, Math.max(known ?? 0, until));
  socket.pause();
  if (known === undefined) releaseInTime(socket, until);
}

function releaseInTime(socket: Socket, until: number): void {
  setTimeout(() => {
    const last = throttledUntil.get(socket) ?? until;
    if (last > until) return releaseInTime(socket, last);
    throttledUntil.delete(socket);
    resumeReading(socket);
  }, until - performance.now());
}

/** The largest body, in bytes, whose rest is discarded so that its connection can serve the next request. */
const SMALL = 1024 * 1024;

/** The most bytes that are discarded before a connection is closed. */
const MAX_DISCARDED = 32 * 1024 * 1024;

/** The longest time in which the rest of a small body may arrive after the response, in milliseconds. */
const REST_TIMEOUT_MS = 10_000;

/**
 * The time for which a closing connection stays open so that the client can read the response (RFC
 * 9112, section 9.6), in milliseconds.
 */
export const CLOSE_DELAY_MS = 2000;

/** The bytes from which a body is written as bytes, and not as text beside its headers. */
const LARGE = 64 * 1024;

/**
 * Returns the time limit for bodies, which {@link Exchange.limitBody} applies. Node's own `requestTimeout` allows no
 * exception.
 * @param maxMs from the end of the headers
 * @param refuse called for a connection whose request takes longer
 */
export function createBodyTimes(
  maxMs: number,
  refuse: (error: NodeJS.ErrnoException, socket: Duplex) => void,
): Deadlines<IncomingMessage> {
  return new Deadlines<IncomingMessage>(maxMs, ({ complete, socket }) => {
    if (complete) return;
    const error = new Error('The body took too long to arrive');
    refuse(Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  });
}

const exchange = Symbol('exchange');

/** A property, because a WeakMap of all responses costs the garbage collector too much. */
type Held = ServerResponse & { [exchange]?: Exchange };

/** A request and its response on their connection: how they are sent, drained, discarded and closed. */
export class Exchange {
  /** The problem of a malformed request, which is answered as those that are found later. */
  fault: ProblemError | undefined;
  readonly #closing: (() => void)[] = [];
  readonly #res: ServerResponse;
  #bodyTimes: Deadlines<IncomingMessage> | undefined;
  #refusalDelay: number | undefined;

  /** Returns the exchange of a response. */
  static of(res: Held): Exchange {
    res[exchange] ??= new Exchange(res);
    return res[exchange];
  }

  private constructor(res: ServerResponse) {
    this.#res = res;
    // One listener for all that wait for it.
    res.on('close', () => {
      const connection: Connection = res.req.socket;
      if (connection[pipeline]) setImmediate(serveNext, connection);
      for (const done of this.#closing) done();
    });
  }

  /** Calls back when the response was sent, or can no longer be sent: `writableFinished` shows which. */
  onClose(done: () => void): void {
    const res = this.#res;
    // A response that waits behind another has no connection yet, and is not closed with it.
    if (res.closed || (!res.socket && res.req.socket.destroyed)) queueMicrotask(done);
    else this.#closing.push(done);
  }

  /** Sends the whole body of a response whose other headers are set, in one write to the system. */
  end(body: string | Uint8Array): void {
    const res = this.#res;
    res.setHeader('Content-Length', Buffer.byteLength(body));
    if (body.length >= LARGE && typeof body !== 'string') {
      res.end(body);
      return;
    }
    // Node's `end(body)` writes the head with a text, and then an empty one, but bytes by themselves. In Latin-1 each
    // byte is a character, so that few bytes become text at little cost.
    res.cork();
    if (typeof body === 'string') res.write(body, 'utf8');
    else res.write(Buffer.from(body.buffer, body.byteOffset, body.length).toString('latin1'), 'latin1');
    res.uncork();
    res.end();
  }

  /**
   * Sends the whole body of a response to a request whose own body is not read, or not to its end. If that is large,
   * the connection must close: the response announces this (`Connection: close`), and the body is discarded for a
   * limited time. Closing at once would reset the connection, and the client would lose the response (RFC 9112,
   * section 9.6). A refusal whose sender is throttled is sent later.
   */
  endUnread(body: string): void {
    const res = this.#res;
    res.setHeader('Content-Length', Buffer.byteLength(body));
    const delay = this.#refusalDelay;
    if (delay === undefined) this.#endAndDrain(body);
    else setTimeout(() => res.closed || this.#endAndDrain(body), delay);
  }

  #endAndDrain(body: string): void {
    const res = this.#res;
    const { req } = res;
    const isUnderWay = hasBody(req) && !req.complete;
    const isLarge = isUnderWay && (announcedLength(req) ?? SMALL + 1) > SMALL;
    if (isLarge || hasTinyChunks(req)) res.setHeader('Connection', 'close');
    const closes = res.getHeader('Connection') === 'close' || !res.shouldKeepAlive;
    if (isUnderWay && (!closes || hasTinyChunks(req))) {
      this.endEarly(body, REST_TIMEOUT_MS);
      return;
    }
    // A discarded body uses no memory.
    req.unpipe();
    req.resume();
    if (isUnderWay) {
      res.flushHeaders();
      res.write(body);
      discard(req, () => res.end());
    } else this.end(body);
  }

  /**
   * Ends a response, and discards the rest of the body of its request. Ends the connection if the rest does not arrive
   * in time, or at once if it comes in small chunks: reading those would cost more than the refusal saves.
   * @param rest the rest of the response's body
   */
  endEarly(rest: string, timeoutMs: number): void {
    const { req } = this.#res;
    req.unpipe();
    if (hasTinyChunks(req)) {
      req.pause();
      this.#res.end(rest, () => req.socket.destroy());
      return;
    }
    req.resume();
    this.#res.end(rest);
    if (req.complete) return;
    const timer = setTimeout(() => req.socket.destroy(), timeoutMs);
    req.once('close', () => clearTimeout(timer));
  }

  /**
   * Limits the time in which the body of the request arrives, even after the response, and closes the request with its
   * connection.
   */
  limitBody(times: Deadlines<IncomingMessage>): void {
    const { req } = this.#res;
    const { socket } = req;
    this.#bodyTimes = times;
    times.begin(req);
    // Node does not close a request that was answered before its body arrived, so anything that
    // waits for its close would wait forever.
    const close = () => req.destroy();
    socket.on('close', close);
    req.on('close', () => {
      times.end(req);
      socket.off('close', close);
    });
  }

  /** Exempts the request from that limit, because its body is processed as it arrives, with its own limits. */
  disableBodyTimeout(): void {
    this.#bodyTimes?.end(this.#res.req);
  }

  /** Sends a refusal later, by a time in milliseconds. */
  sendAfterDelay(time: number): void {
    this.#refusalDelay = time;
  }

  /** Stops reading the connection after this request, for a time in milliseconds. */
  throttleConnection(time: number): void {
    const { req } = this.#res;
    const throttle = () => throttleSocket(req.socket, time);
    // The rest of the request must be discarded first, or it would be read as the next request.
    if (req.complete) setImmediate(throttle);
    else req.once('end', throttle);
  }
}

/** Discards the rest of a body until it ends, the sender disconnects, or a limit is reached. */
function discard(req: IncomingMessage, done: () => void): void {
  const meter = new BodyMeter(req, MAX_DISCARDED);
  const end = () => {
    clearTimeout(timer);
    req.off('data', count).off('end', end).off('close', end);
    done();
  };
  const count = ({ length }: Buffer) => {
    if (!meter.add(length)) return;
    req.pause();
    end();
  };
  const timer = setTimeout(end, CLOSE_DELAY_MS);
  req.on('data', count).once('end', end).once('close', end);
}
