import type { IncomingMessage } from 'node:http';
import type { RowFormat } from 'roster-prediction/predicting';
import { bodyTooLarge, type ProblemError, problem } from '../problems/problem.js';

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

/** The encodings of bodies, by their labels (WHATWG Encoding, section 4.2); ASCII is a part of UTF-8. */
const CHARSETS = new Map([
  ['utf-8', 'utf-8'],
  ['utf8', 'utf-8'],
  ['us-ascii', 'utf-8'],
  ['windows-1252', 'windows-1252'],
  ['cp1252', 'windows-1252'],
  ['x-cp1252', 'windows-1252'],
  ['iso-8859-1', 'windows-1252'],
  ['iso8859-1', 'windows-1252'],
  ['iso_8859-1', 'windows-1252'],
  ['latin1', 'windows-1252'],
  ['l1', 'windows-1252'],
  ['utf-16', 'utf-16le'],
  ['utf-16le', 'utf-16le'],
  ['utf-16be', 'utf-16be'],
] as const);

export type Charset = typeof CHARSETS extends Map<string, infer C> ? C : never;

/** The labels of the encodings of CSV that messages list. */
export const CSV_CHARSETS = ['utf-8', 'windows-1252', 'iso-8859-1', 'utf-16le', 'utf-16be'];

/**
 * Returns the encoding that a request names for its body: UTF-8 if it names none, and undefined for an unknown label.
 */
export function findCharset(req: IncomingMessage): Charset | undefined {
  const labels: ReadonlyMap<string, Charset> = CHARSETS;
  return labels.get(charsetLabel(req).toLowerCase());
}

/** Returns the `charset` of a request as it was sent; `utf-8` without one. */
export function charsetLabel({ headers }: IncomingMessage): string {
  return /charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
}

export const JSON_TYPE = 'application/json';

/** NDJSON: a body of it is a stream that may never end, and is answered as it arrives. */
export const LINES_TYPE = 'application/x-ndjson';

export const CSV_TYPE = 'text/csv';

/** The formats of rows and tables, by media type. */
const FORMATS: ReadonlyMap<string, RowFormat> = new Map([
  [JSON_TYPE, 'json'],
  [LINES_TYPE, 'ndjson'],
  [CSV_TYPE, 'csv'],
  ['application/vnd.apache.arrow.stream', 'arrow-stream'],
  ['application/vnd.apache.arrow.file', 'arrow-file'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx'],
]);

/** The formats that are read from their beginning on. */
const ENDLESS: ReadonlySet<RowFormat | undefined> = new Set(['ndjson', 'csv', 'arrow-stream']);

/** The formats of which more is held than of text. */
const COLUMNAR: ReadonlySet<RowFormat | undefined> = new Set(['arrow-stream', 'arrow-file', 'parquet', 'xlsx']);

/** Returns the format of rows and tables that have a media type; undefined for another one. */
export function findRowFormat(type: string): RowFormat | undefined {
  return FORMATS.get(type);
}

/** Returns whether a body of rows is read from its beginning on, so that it may have any length. */
export function isEndless(type: string): boolean {
  return ENDLESS.has(FORMATS.get(type));
}

/** Returns whether a body of rows is answered as it arrives, with the limits of streams. */
export function isRowStream(type: string): boolean {
  return type !== JSON_TYPE && FORMATS.has(type);
}

/** Returns whether a body of rows is Arrow, Parquet or a workbook. */
export function isColumnar(type: string): boolean {
  return COLUMNAR.has(FORMATS.get(type));
}

/** Returns whether a media type is a text that is read as a whole, such as `text/markdown`. */
export function isText(type: string): boolean {
  return type.startsWith('text/') && type !== CSV_TYPE;
}

/** The scheme and authority at the start of a target in absolute form (RFC 9112, section 3.2.2). */
const ABSOLUTE = /^https?:\/\/([^/?]*)/i;

/** `uri-host [ ":" port ]` (RFC 9110, section 7.2, and RFC 3986, section 3.2.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Returns the problem of a request that breaks a part of RFC 9112 which Node's parser does not enforce. Converts a
 * target in absolute form to origin form.
 */
export function findFault(req: IncomingMessage): ProblemError | undefined {
  const { httpVersion, httpVersionMajor, headers, url = '', rawHeaders } = req;
  if (httpVersionMajor !== 1) return unreadable(`it is in HTTP/${httpVersion}`);
  const codings = headers['transfer-encoding'];
  const coding = codings === undefined ? undefined : findCodingFault(codings, httpVersion);
  if (coding) return coding;
  if (url.includes('#')) return unreadable('its target has a fragment');
  const isOrigin = url.startsWith('/') || url === '*';
  const [start = '', authority] = isOrigin ? [] : (ABSOLUTE.exec(url) ?? []);
  if (!isOrigin && authority === undefined) return unreadable('its target is neither a path nor an http address');
  if (authority === '' || (authority !== undefined && !HOST.test(authority))) {
    return unreadable('the address that is its target has no valid host');
  }
  if (headers.host === undefined) {
    if (httpVersion !== '1.0') return unreadable('it has no Host header');
  } else {
    // If the header is sent more than once, Node shows only the first. Names and values alternate.
    let hosts = 0;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index];
      if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
    }
    if (hosts > 1) return unreadable('it has more than one Host header');
    if (!HOST.test(headers.host)) return unreadable('its Host header is not a host and a port');
  }
  if (authority !== undefined) {
    const rest = url.slice(start.length);
    req.url = rest.startsWith('/') ? rest : `/${rest}`;
    // Replaces the Host header (RFC 9112, section 3.2.2).
    headers.host = authority;
  }
  return undefined;
}

/**
 * Returns whether the parser will refuse the request after handing it over: if chunked is not the
 * last transfer coding, the end of the body is unknown (RFC 9112, section 6.3).
 */
export function isLeftToParser(codings: string): boolean {
  return !/(^|,)[ \t]*chunked$/i.test(codings);
}

/** Checks the framing of a request (RFC 9112, section 6.1). */
function findCodingFault(codings: string, httpVersion: string): ProblemError | undefined {
  if (httpVersion === '1.0') return unreadable('HTTP/1.0 has no Transfer-Encoding');
  if (codings.toLowerCase() === 'chunked') return undefined;
  return problem(
    '/problems/not-implemented',
    `The service does not decode Transfer-Encoding: ${codings}. Send the body as it is, with a Content-Length or with Transfer-Encoding: chunked.`,
  );
}

export function unreadable(why: string): ProblemError {
  return problem(
    '/problems/unreadable-request',
    `The request cannot be read: ${why}. Use an HTTP client, and look at proxies on the way.`,
  );
}

/** The number of consecutive chunks whose mean size and duration are checked. */
const CHUNKS = 1000;
/** The smallest acceptable mean size, in bytes: smaller chunks cost far more than their content. */
const MIN_MEAN = 32;
/** The shortest acceptable time for these chunks, in milliseconds: slower chunks cost little, whatever their size. */
const MIN_TIME_MS = 1000;

const withTinyChunks = new WeakSet<IncomingMessage>();

/** Returns whether a meter has refused the chunks of a body as too small: the rest is not read. */
export function hasTinyChunks(req: IncomingMessage): boolean {
  return withTinyChunks.has(req);
}

/**
 * Counts the bytes of a body as they arrive. Refuses too many of them, and those that arrive fast in
 * small chunks (RFC 9112, section 7.1), each of which costs as much as a large one.
 */
export class BodyMeter {
  /** The bytes that have arrived, or that were too many. */
  seen = 0;
  #chunks = 0;
  #seenBefore = 0;
  #since = 0;

  /** @param limit the most bytes */
  constructor(
    private readonly req: IncomingMessage,
    private readonly limit: number,
    private readonly now = () => performance.now(),
  ) {}

  /** Counts the bytes of a chunk. Returns the problem of a body that is not to be read any further. */
  add(bytes: number): ProblemError | undefined {
    if (this.#chunks === 0) {
      this.#since = this.now();
      this.#seenBefore = this.seen;
    }
    this.#chunks += 1;
    this.seen += bytes;
    if (this.seen > this.limit) return bodyTooLarge(this.limit);
    if (this.#chunks < CHUNKS) return undefined;
    this.#chunks = 0;
    const areSmall = this.seen - this.#seenBefore < MIN_MEAN * CHUNKS;
    if (!areSmall || this.now() - this.#since > MIN_TIME_MS) return undefined;
    withTinyChunks.add(this.req);
    return problem(
      '/problems/malformed-body',
      `The body comes in chunks of less than ${MIN_MEAN} bytes in the mean; collect what you send, such as 16 KiB at a time, or send fewer than ${CHUNKS} chunks a second.`,
      {},
      { Connection: 'close' },
    );
  }
}
