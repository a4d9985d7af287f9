import type { Duplex } from 'node:stream';
import { v7 as uuidv7 } from 'uuid';
import type { Contract } from './document.js';
import { problem, render } from './problems.js';

/**
 * Makes the listener for what Node cannot read as HTTP. There is no request to answer then, so the
 * problem is written to the connection, which ends with it.
 */
export function answerUnreadableRequest(contract: Contract) {
  return (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (!socket.writable || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const requestId = uuidv7();
    const body = JSON.stringify(
      render(contract, unreadable(error.code), { instance: '/', requestId }),
    );
    socket.end(
      [
        'HTTP/1.1 400 Bad Request',
        'Content-Type: application/problem+json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}

function unreadable(code: string | undefined) {
  return problem('/problems/unreadable-request', `The request cannot be read: ${reason(code)}`);
}

function reason(code: string | undefined): string {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return 'its headers are too large. Send fewer or shorter ones.';
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 'it took too long to arrive. Send it again, all at once.';
    default:
      return 'it is not well-formed HTTP/1.1. Use an HTTP client, and look at proxies on the way.';
  }
}
