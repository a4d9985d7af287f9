import { randomUUID } from 'node:crypto';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Contract } from '../../contract/document.js';
import { type ProblemError, problem, render } from '../problems/problem.js';
import { CLOSE_DELAY_MS } from './exchange.js';
import { unreadable } from './request.js';

/** Connections with a response in progress: anything written there would be read as part of it. */
export const responsesBegun = new WeakSet<Duplex>();

/** Connections that end with the current response: later requests are not answered. */
export const endingSockets = new WeakSet<Duplex>();

/**
 * Returns the listener for input that Node cannot parse as HTTP. There is no request to answer, so
 * the problem is written to the connection, which then ends.
 */
export function answerUnreadableRequest(contract: Contract) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET' || responsesBegun.has(socket)) {
      socket.destroy();
      return;
    }
    if (endingSockets.has(socket)) return;
    endWith(contract, parserProblem(error.code), socket);
  };
}

/**
 * Returns the listener for CONNECT, the method of proxies (RFC 9110, section 9.3.6). Node hands
 * over the connection, and would close it without a response.
 */
export function refuseTunnel(contract: Contract) {
  return (_req: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    const refusal = problem(
      '/problems/not-implemented',
      'The service is not a proxy: it has no method CONNECT. Send the request to the service itself.',
    );
    endWith(contract, refusal, socket);
    // Discards what was already sent: closing a connection with unread input may lose the response.
    socket.resume();
  };
}

function endWith(contract: Contract, error: ProblemError, socket: Duplex): void {
  const requestId = randomUUID();
  const document = render(contract, error, { instance: '/', requestId });
  const body = JSON.stringify(document);
  socket.end(
    [
      `HTTP/1.1 ${document.status} ${STATUS_CODES[document.status]}`,
      'Content-Type: application/problem+json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  // A client that neither reads nor closes would otherwise keep its connection and its buffers forever.
  setTimeout(() => socket.destroy(), CLOSE_DELAY_MS).unref();
}

function parserProblem(code: string | undefined) {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problem(
        '/problems/headers-too-large',
        'The headers of the request have more than 16 KiB; send fewer or shorter ones.',
      );
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problem('/problems/request-timeout', 'The request took too long to arrive; send it again, all at once.');
    default:
      return unreadable('it is not well-formed HTTP/1.1');
  }
}
