import type { IncomingMessage } from 'node:http';

/** Returns whether a request has a body, even an empty one (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/**
 * Returns the declared length of a body in bytes; undefined if it is chunked (RFC 9112, section
 * 6.3).
 */
export function announcedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}
