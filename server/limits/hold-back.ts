import type { Request, Response } from 'express';

/** How long nothing is read from a connection whose request was refused, in milliseconds. */
const HOLD = 500;

/**
 * Keeps whoever was sent away, and comes again at once, from being sent away as fast as they can ask: that
 * alone would keep the service busy. The refusal itself goes out at once; what else comes on the connection
 * waits in the network for half a second.
 */
export function holdBack({ socket }: Request, res: Response): void {
  res.once('finish', () => {
    // Node reads on to the end of the request when its answer is out, and so must be waited for.
    setImmediate(() => socket.pause());
    setTimeout(() => socket.resume(), HOLD).unref();
  });
}
