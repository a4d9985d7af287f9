import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/caller.js';
import { holdConnection } from './throttle-socket.js';

/**
 * The time between two refusals of one sender, in milliseconds. The fewer requests the service
 * refuses, the more it serves. With a thousand connections the wait stays below {@link
 * MAX_HOLD_MS}: closed connections reconnect, which costs more.
 */
const SPACING_MS = 1.9;

/** The longest time that a connection is held, in milliseconds. */
const MAX_HOLD_MS = 2000;

/**
 * Keeps a refused sender from retrying at once, since refusals alone could keep the service busy.
 * The refusal is sent at once, but its connection is not read until the sender's turn. If that turn
 * is too far away, the response gets `Connection: close` and ends the connection. Call this before
 * the refusal is sent.
 * @param caller undefined if the request is refused before its caller is known; without keys,
 *   callers have none
 */
export type Throttle = (req: IncomingMessage, res: ServerResponse, caller?: Caller) => void;

/**
 * Returns a throttle that identifies senders by the owner of their key, or else by their IP
 * address.
 */
export function throttleConnections(): Throttle {
  const turns = new RefusalTurns();
  return (req, res, caller) => {
    const sender = caller?.key ? `owner ${caller.owner}` : `address ${req.socket.remoteAddress}`;
    const time = turns.next(sender);
    if (time === undefined) res.setHeader('Connection', 'close');
    else if (time > 0) holdAfter(req, time);
  };
}

/** Assigns turns to refused senders. They share a fixed rate of refusals in equal parts. */
export class RefusalTurns {
  /** The next turn of each sender, in the order of their last refusals. */
  readonly #turns = new Map<string, number>();

  /** @param now the time, in milliseconds */
  constructor(private readonly now = () => performance.now()) {}

  /**
   * Returns the time that a refused sender must wait before the next request, in milliseconds;
   * undefined if that exceeds the longest hold.
   */
  next(sender: string): number | undefined {
    const now = this.now();
    this.#forgetPast(now);
    const turn = Math.max(this.#turns.get(sender) ?? now, now);
    if (turn - now > MAX_HOLD_MS) return undefined;
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

function holdAfter(req: IncomingMessage, time: number): void {
  const hold = () => holdConnection(req.socket, performance.now() + time);
  // The rest of the request must be discarded first, or it would be read as the next request.
  if (req.complete) setImmediate(hold);
  else req.once('end', hold);
}
