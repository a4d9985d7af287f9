import type { IncomingMessage } from 'node:http';

/** Whether a request has a body, be it an empty one (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}
