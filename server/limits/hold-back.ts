import type { IncomingMessage } from 'node:http';

/** Between two requests of those who were sent away, in milliseconds: so many that refusing takes a small part of a core. */
const BETWEEN = 1.3;

let lastTurn = 0;

/**
 * Keeps those who were sent away, and come again at once, from being sent away as fast as they can ask:
 * that alone would keep the service busy. A refusal goes out at once; what else comes on its connection is
 * read when it is its turn, and waits in the network until then.
 */
export function holdBack(req: IncomingMessage): void {
  const now = performance.now();
  lastTurn = Math.max(now, lastTurn + BETWEEN);
  const time = lastTurn - now;
  const { socket } = req;
  const hold = () => {
    socket.pause();
    setTimeout(() => socket.resume(), time);
  };
  // The rest of the request is read off first, so that nothing of it is taken for the next one's.
  if (req.complete) setImmediate(hold);
  else req.once('end', hold);
}
