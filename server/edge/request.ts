import type { IncomingMessage } from 'node:http';

/** Returns the target of a request without its query. */
export function withoutQuery(target: string): string {
  const query = target.indexOf('?');
  return query < 0 ? target : target.slice(0, query);
}

/** Returns whether a request has a body, even an empty one (RFC 9112, section 6.3). */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
}

/** Returns the declared length of a body in bytes; undefined if it is chunked. */
export function announcedLength({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Returns the media type of a body, without parameters and in lower case (RFC 9110, section 8.3.1). */
export function mediaType({ headers }: IncomingMessage): string {
  const type = headers['content-type'];
  if (type === undefined || type === JSON_TYPE) return type ?? '';
  return type.replace(/;.*$/s, '').trim().toLowerCase();
}

export const JSON_TYPE = 'application/json';

/** NDJSON: a body of it is a stream that may never end, and is answered as it arrives. */
export const LINES_TYPE = 'application/x-ndjson';

export const CSV_TYPE = 'text/csv';

const ARROW_STREAM_TYPE = 'application/vnd.apache.arrow.stream';

/** The media types of rows and tables that are read from their begin on, in any length. */
const ENDLESS_TYPES: ReadonlySet<string> = new Set([LINES_TYPE, CSV_TYPE, ARROW_STREAM_TYPE]);

/** The media types of rows and tables that are read from their end. */
const FILE_TYPES: ReadonlySet<string> = new Set([
  'application/vnd.apache.arrow.file',
  'application/vnd.apache.parquet',
]);

/** Returns whether a body of rows is read from its begin on, so that it may have any length. */
export function isEndless(type: string): boolean {
  return ENDLESS_TYPES.has(type);
}

/** Returns whether a body of rows is answered as it arrives, with the limits of streams. */
export function isRowStream(type: string): boolean {
  return ENDLESS_TYPES.has(type) || FILE_TYPES.has(type);
}

/** Returns whether a body of rows is Arrow or Parquet, of which more is held than of text. */
export function isColumnar(type: string): boolean {
  return type === ARROW_STREAM_TYPE || FILE_TYPES.has(type);
}

/** Returns whether a media type is a text that is read as a whole, such as `text/markdown`. */
export function isText(type: string): boolean {
  return type.startsWith('text/') && type !== CSV_TYPE;
}
