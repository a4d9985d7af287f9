import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
