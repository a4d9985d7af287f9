import type { IncomingMessage } from 'node:http';

/** Whether a request has a body, be it an empty one (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** The length of a body in bytes, as its header tells it; undefined for one that comes in chunks (RFC 9112, section 6.3). */
export function announcedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
