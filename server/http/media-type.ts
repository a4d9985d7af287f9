import type { IncomingMessage } from 'node:http';

export const JSON_TYPE = 'application/json';

/** Lines of JSON. A body of them is a stream: it has no end that anyone waits for, and is answered as it comes. */
export const LINES_TYPE = 'application/x-ndjson';

/** The media type of a body, without its parameters and in lower case (RFC 9110, section 8.3.1). */
export function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}
