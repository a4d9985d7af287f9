import type { IncomingMessage } from 'node:http';

export const JSON_TYPE = 'application/json';

/**
 * The media type of NDJSON. Such a body is a stream that may never end, and is answered as it
 * arrives.
 */
export const LINES_TYPE = 'application/x-ndjson';

/**
 * Returns the media type of a body, without parameters and in lower case (RFC 9110, section 8.3.1).
 */
export function mediaType({ headers }: IncomingMessage): string {
  return (headers['content-type'] ?? '').replace(/;.*$/s, '').trim().toLowerCase();
}

export const CSV_TYPE = 'text/csv';

/** Returns whether a media type is a text that is read as a whole, such as `text/markdown`; CSV is read as it arrives. */
export function isText(type: string): boolean {
  return type.startsWith('text/') && type !== CSV_TYPE;
}
