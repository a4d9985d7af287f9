import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Caller } from '../auth/caller.js';

type Exchange = readonly [IncomingMessage, ServerResponse];

/** The requests that are queued behind another on their connection. */
const pipelined = Symbol('pipelined');

/** A property, because it is looked up at the end of every request. */
type Connection = Socket & { [pipelined]?: Exchange[] };

/**
 * Serves the requests of a connection one after another (HTTP pipelining: RFC 9112, section 9.3.2),
 * even if the sender writes many at once. Yields to the event loop between two of them, so that
 * other connections are served. A connection that is throttled after a refusal is not served until
 * that ends. While a request waits, the connection is not read, so only the requests of one read
 * (64 KiB) can wait.
 */
export function serveInOrder(listener: RequestListener): RequestListener {
  const serve: RequestListener = (req, res) => {
    res.on('close', scheduleNext);
    listener(req, res);
  };
  const serveNext = (connection: Connection): void => {
    const waiting = connection[pipelined];
    if (!waiting) return;
    const wait = connection.destroyed ? 0 : throttledFor(connection);
    if (wait > 0) {
      setTimeout(serveNext, wait, connection);
      return;
    }
    const next = waiting.shift();
    if (waiting.length === 0 || !connection.writable) {
      delete connection[pipelined];
      resumeReading(connection);
    }
    if (next && connection.writable) serve(...next);
  };
  function scheduleNext(this: ServerResponse): void {
    const connection: Connection = this.req.socket;
    if (connection[pipelined]) setImmediate(serveNext, connection);
  }
  return (req, res) => {
    // Node assigns a response its connection once earlier responses are sent.
    if (res.socket) serve(req, res);
    else enqueue(req, res);
  };
}

function enqueue(req: IncomingMessage, res: ServerResponse): void {
  const connection: Connection = req.socket;
  connection[pipelined] ??= [];
  connection[pipelined].push([req, res]);
  // Deferred, because Node resumes the connection at the end of the request, which is still to
  // come.
  process.nextTick(() => connection.pause());
}

function resumeReading(connection: Connection): void {
  if (!connection[pipelined] && !throttledUntil.has(connection)) connection.resume();
}

/** The time until which each connection is throttled; several refusals extend it. */
const throttledUntil = new WeakMap<Socket, number>();

function throttledFor(socket: Socket): number {
  const until = throttledUntil.get(socket);
  return until === undefined ? 0 : Math.max(until - performance.now(), 1);
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

/** The headers by which a proxy tells that a request is not its own. */
const PROXY_HEADERS = ['via', 'x-forwarded-for', 'forwarded'] as const;

/** The time for which the refusals of forwarded requests are held, in milliseconds. */
const heldFor = new WeakMap<ServerResponse, number>();

/** Sends a refusal at the turn of its sender, if a throttle says so, and at once otherwise. */
export function sendInTurn(res: ServerResponse, send: () => void): void {
  const time = heldFor.get(res);
  if (time === undefined) send();
  else setTimeout(() => res.closed || send(), time);
}

/**
 * Keeps a refused sender from retrying at once, since refusals alone could keep the service busy.
 * The refusal is sent at once, but its connection is not read until the sender's turn. Other senders use the
 * connection of a proxy next, so there the refusal is sent at that turn instead. If that turn is too far away, the
 * response gets `Connection: close` and ends the connection. Call this before the refusal is sent.
 * @param caller undefined if the request is refused before its caller is known; without keys,
 *   callers have none
 */
export type Throttle = (req: IncomingMessage, res: ServerResponse, caller?: Caller) => void;

/** Returns a throttle that tells senders apart by the owner of their key, or by their IP address. */
export function throttleConnections(): Throttle {
  const turns = new RefusalTurns();
  return (req, res, caller) => {
    const isKnown = caller && caller.id !== null;
    const sender = isKnown ? `owner ${caller.owner}` : `address ${req.socket.remoteAddress}`;
    const time = turns.next(sender);
    if (time === undefined) res.setHeader('Connection', 'close');
    else if (time > 0 && PROXY_HEADERS.some((name) => name in req.headers)) heldFor.set(res, time);
    else if (time > 0) throttleAfter(req, time);
  };
}

function throttleAfter(req: IncomingMessage, time: number): void {
  const throttle = () => throttleSocket(req.socket, time);
  // The rest of the request must be discarded first, or it would be read as the next request.
  if (req.complete) setImmediate(throttle);
  else req.once('end', throttle);
}

/**
 * The time between two refusals of one sender, in milliseconds. The fewer requests the service
 * refuses, the more it serves: a refusal costs as much as a read, so that 180 in a second cost others less than a
 * twentieth (`bench:http --only limits`). With a thousand connections the wait stays below {@link
 * MAX_THROTTLE_MS}: closed connections reconnect, which costs more.
 */
const SPACING_MS = 5.5;

/** The longest time that a connection is throttled, in milliseconds. */
const MAX_THROTTLE_MS = 1000 * SPACING_MS;

/** Assigns turns to refused senders. They share a fixed rate of refusals in equal parts. */
export class RefusalTurns {
  /** The next turn of each sender, in the order of their last refusals. */
  readonly #turns = new Map<string, number>();

  /** @param now the time, in milliseconds */
  constructor(private readonly now = () => performance.now()) {}

  /**
   * Returns the time that a refused sender must wait before the next request, in milliseconds;
   * undefined if that is too long.
   */
  next(sender: string): number | undefined {
    const now = this.now();
    this.#forgetPast(now);
    const turn = Math.max(this.#turns.get(sender) ?? now, now);
    if (turn - now > MAX_THROTTLE_MS) return undefined;
    this.#turns.delete(sender);
    this.#turns.set(sender, turn + SPACING_MS * (this.#turns.size + 1));
    return turn - now;
  }

  #forgetPast(now: number): void {
    for (const [sender, turn] of this.#turns) {
      if (turn > now) return;
      this.#turns.delete(sender);
    }
  }
}

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
    addCallback(res, done);
    return;
  }
  const waiting = queuedOn(req.socket);
  const once = () => {
    if (waiting.delete(once)) done();
  };
  waiting.add(once);
  addCallback(res, once);
}

function addCallback(res: Closing, done: () => void): void {
  const others = res[closing];
  if (others) {
    others.push(done);
    return;
  }
  res[closing] = [done];
  // One function for all responses, so that a request makes no closure for it.
  res.on('close', callBack);
}

function callBack(this: Closing): void {
  for (const done of this[closing] ?? []) done();
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

/**
 * Returns whether the whole response was sent; otherwise the caller disconnected, or the service
 * cut it off.
 */
export function wasSent(res: ServerResponse): boolean {
  return res.writableFinished;
}

/**
 * Ends a response with its whole body, whose headers are set, in one write to the system. Node's
 * `end(body)` writes the head with the body, and then an empty text.
 */
export function endWith(res: ServerResponse, body: string, encoding?: BufferEncoding): void {
  res.cork();
  res.write(body, encoding ?? 'utf8');
  res.uncork();
  res.end();
}

/** The most bytes of one owner's responses that wait for their readers at once. */
const MAX_UNREAD = 32 * 1024 * 1024;

interface Unread {
  readonly bytes: number;
  readonly cutOff: () => void;
}

/**
 * Limits the memory of responses that wait for their readers. If those of one owner take too much,
 * the one that has waited longest without progress is cut off.
 */
export class SendBufferLimit {
  /** The unread responses of each owner, the longest-waiting first. */
  readonly #byOwner = new Map<string, Set<Unread>>();

  constructor(private readonly max = MAX_UNREAD) {}

  /**
   * Counts a response that waits for its reader.
   * @param bytes the bytes of the response in memory
   * @param cutOff called at most once, if the memory is needed
   * @returns the function that ends the wait
   */
  add(owner: string, bytes: number, cutOff: () => void): () => void {
    const responses = this.#byOwner.get(owner) ?? new Set();
    const response = { bytes, cutOff };
    responses.add(response);
    this.#byOwner.set(owner, responses);
    this.#makeRoom(responses);
    return () => {
      responses.delete(response);
      if (responses.size === 0 && this.#byOwner.get(owner) === responses) {
        this.#byOwner.delete(owner);
      }
    };
  }

  #makeRoom(responses: Set<Unread>): void {
    let held = 0;
    for (const { bytes } of responses) held += bytes;
    for (const response of responses) {
      if (held <= this.max || responses.size === 1) return;
      responses.delete(response);
      held -= response.bytes;
      response.cutOff();
    }
  }
}
