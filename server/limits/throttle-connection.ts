import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../auth/caller.js';
import { holdConnection } from '../http/hold-connection.js';

/**
 * Between two refusals of one sender, in milliseconds. The less often the service refuses, the more it serves.
 * A thousand connections still wait less than {@link MAX_HOLD_MS}: those that are closed come again, at more cost.
 */
const SPACING_MS = 1.9;

/** How long a connection is held at most, in milliseconds. */
const MAX_HOLD_MS = 2000;

/**
 * Keeps the sender of a refused request from being refused as fast as it can ask again, which alone would
 * keep the service busy. The refusal goes out at once; its connection is read again when it is the sender's
 * turn. If that is too far away, the answer gets `Connection: close` and is the connection's last.
 * To be called before the refusal is sent.
 * @param caller none, if the request is refused before its caller is known; without keys, callers have no keyId
 */
export type Throttle = (req: IncomingMessage, res: ServerResponse, caller?: Caller) => void;

/** Returns a throttle that knows its senders by the owner of their key, or else by the address of their connection. */
export function throttleConnections(): Throttle {
  const turns = new RefusalTurns();
  return (req, res, caller) => {
    const sender = caller?.keyId ? `owner ${caller.owner}` : `address ${req.socket.remoteAddress}`;
    const time = turns.next(sender);
    if (time === undefined) res.setHeader('Connection', 'close');
    else if (time > 0) holdAfter(req, time);
  };
}

/** Gives the turns of those who are refused. All of them share a fixed rate of refusals, in equal parts. */
export class RefusalTurns {
  /** When each sender's next turn is; the one that was refused last stands last. */
  readonly #turns = new Map<string, number>();

  /** @param now the time, in milliseconds */
  constructor(private readonly now = () => performance.now()) {}

  /**
   * Returns how long a sender who is refused is to wait before the next request, in milliseconds; undefined,
   * if that is longer than anyone is made to wait.
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
  // The rest of the request is read off first, so that nothing of it is taken for the next one's.
  if (req.complete) setImmediate(hold);
  else req.once('end', hold);
}
