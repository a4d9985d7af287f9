import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/caller.js';
import { Exchange } from './exchange.js';

/** The headers by which a proxy shows that it forwards a request. */
const PROXY_HEADERS = ['via', 'x-forwarded-for', 'forwarded'] as const;

/**
 * Keeps a refused sender from retrying at once, since refusals alone could keep the service busy. The refusal is sent
 * at once, but its connection is not read until the sender's turn. Other senders use the connection of a proxy next, so
 * there the refusal is sent at that turn instead. If that turn is too far away, the response gets `Connection: close`
 * and ends the connection. Call this before the refusal is sent.
 * @param caller undefined if the request is refused before its caller is known; without keys, callers have none
 */
export type Throttle = (req: IncomingMessage, res: ServerResponse, caller?: Caller) => void;

/** Returns a throttle that distinguishes senders by the owner of their key, or by their IP address. */
export function throttleConnections(): Throttle {
  const schedule = new RefusalSchedule();
  return (req, res, caller) => {
    const isKnown = caller && caller.id !== null;
    const sender = isKnown ? `owner ${caller.owner}` : `address ${req.socket.remoteAddress}`;
    const time = schedule.next(sender);
    if (time === undefined) res.setHeader('Connection', 'close');
    else if (time === 0) return;
    else if (PROXY_HEADERS.some((name) => name in req.headers)) Exchange.of(res).sendAfterDelay(time);
    else Exchange.of(res).throttleConnection(time);
  };
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
export class RefusalSchedule {
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
    for (const [other, turn] of this.#turns) {
      if (turn > now) break;
      this.#turns.delete(other);
    }
    const turn = Math.max(this.#turns.get(sender) ?? now, now);
    if (turn - now > MAX_THROTTLE_MS) return undefined;
    this.#turns.delete(sender);
    this.#turns.set(sender, turn + SPACING_MS * (this.#turns.size + 1));
    return turn - now;
  }
}
