import type { IncomingMessage, RequestListener } from 'node:http';
import type { Duplex } from 'node:stream';
import { hasBody } from './message-body.js';

const clocks = new WeakMap<IncomingMessage, NodeJS.Timeout>();

/**
 * Limits the time in which the body of a request arrives, even after its response, and closes the
 * request with its connection. Node's own `requestTimeout` allows no exception, which {@link
 * disableBodyTimeout} needs.
 * @param longest in milliseconds, from the end of the headers
 * @param refuse called for a connection whose request takes longer
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
      // The timer must not delay a stop.
      clock.unref();
      clocks.set(req, clock);
      const { socket } = req;
      // Node does not close a request that was answered before its body arrived, so anything that
      // waits for its close would wait forever.
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

/**
 * Exempts a request from the time limit, because its body is processed as it arrives, with limits
 * of its own.
 */
export function disableBodyTimeout(req: IncomingMessage): void {
  clearTimeout(clocks.get(req));
}

function tooLate(): NodeJS.ErrnoException {
  const error = new Error('The body took too long to arrive');
  return Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
