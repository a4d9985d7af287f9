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

/** Returns whether a media type is text, such as `text/markdown`. */
export function isText(type: string): boolean {
  return type.startsWith('text/');
}
