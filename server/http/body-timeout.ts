import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasBody } from './message-body.js';

const clocks = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Bounds the time in which the body of a request arrives, whatever becomes of the request, and closes the request
 * with its connection. Node's own `requestTimeout` knows no exception, and there is one: {@link mayTakeItsTime}.
 * @param longest in milliseconds, from the end of the headers
 * @param refuse is told of a connection whose request takes longer
 */
export function boundBodyTime(
  listener: RequestListener,
  longest: number,
  refuse: (error: NodeJS.ErrnoException, socket: Duplex) => void,
): RequestListener {
  return (req, res) => {
    if (hasBody(req)) {
      const clock = setTimeout(() => {
        if (!req.complete) refuse(tooLate(), req.socket);
      }, longest);
      // It ends no sooner for a stop that waits for it.
      clock.unref();
      clocks.set(req, clock);
      const { socket } = req;
      // Node does not close a request that was answered before its body had come, and who waits for that keeps it.
      const close = () => req.destroy();
      socket.once('close', close);
      req.once('close', () => {
        clearTimeout(clock);
        socket.off('close', close);
      });
    }
    listener(req, res);
  };
}

/** Takes the bound of time from a body that is worked on as it arrives, and has bounds of its own. */
export function mayTakeItsTime(req: IncomingMessage): void {
  clearTimeout(clocks.get(req));
}

function tooLate(): NodeJS.ErrnoException {
  const error = new Error('The body took too long to arrive');
  return Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
