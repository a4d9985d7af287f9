import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { RowFormat } from 'roster-prediction/predicting';
import { Deadlines } from '../common/deadlines.js';
import { bodyTooLarge, type ProblemError, problem } from '../problems/problem.js';
import { endWith, sendInTurn } from './connections.js';

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

const bodyTimes = Symbol('body times');

/** A property, as that of `Closing`. */
type Timed = IncomingMessage & { [bodyTimes]?: Deadlines<IncomingMessage> };

/**
 * Returns a function that limits the time in which the body of a request arrives, even after its response, and closes
 * the request with its connection. Node's own `requestTimeout` allows no exception, which {@link
 * disableBodyTimeout} needs.
 * @param maxMs from the end of the headers
 * @param refuse called for a connection whose request takes longer
 */
export function limitBodyTime(
  maxMs: number,
  refuse: (error: NodeJS.ErrnoException, socket: Duplex) => void,
): (req: IncomingMessage) => void {
  const times = new Deadlines<IncomingMessage>(maxMs, ({ complete, socket }) => {
    if (complete) return;
    const error = new Error('The body took too long to arrive');
    refuse(Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  });
  return (req: Timed) => {
    const { socket } = req;
    times.begin(req);
    req[bodyTimes] = times;
    // Node does not close a request that was answered before its body arrived, so anything that
    // waits for its close would wait forever.
    const close = () => req.destroy();
    socket.on('close', close);
    req.on('close', () => {
      times.end(req);
      socket.off('close', close);
    });
  };
}

/**
 * Exempts a request from the time limit, because its body is processed as it arrives, with limits
 * of its own.
 */
export function disableBodyTimeout(req: Timed): void {
  req[bodyTimes]?.end(req);
}

/** The number of consecutive chunks whose mean size and duration are checked. */
const CHUNKS = 1000;
/** The smallest acceptable mean size, in bytes: smaller chunks cost far more than their content. */
const MIN_MEAN = 32;
/**
 * The shortest acceptable time for these chunks, in milliseconds: slower chunks cost little,
 * whatever their size.
 */
const MIN_TIME_MS = 1000;

/** Requests whose chunks were too small; the rest of them is not read. */
const withSmallChunks = new WeakSet<IncomingMessage>();

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
    withSmallChunks.add(this.req);
    return problem(
      '/problems/malformed-body',
      `The body comes in chunks of less than ${MIN_MEAN} bytes in the mean; collect what you send, such as 16 KiB at a time, or send fewer than ${CHUNKS} chunks a second.`,
      {},
      { Connection: 'close' },
    );
  }
}

/** The largest body, in bytes, whose rest is discarded so that its connection can serve the next request. */
const SMALL = 1024 * 1024;

/** The most bytes that are discarded before a connection is closed. */
const MAX_DISCARDED = 32 * 1024 * 1024;

/** The longest time in which the rest of a small body may arrive after the response, in milliseconds. */
const REST_TIMEOUT_MS = 10_000;

/**
 * The time for which a closing connection stays open so that the client can read the response (RFC
 * 9112, section 9.6), in milliseconds.
 */
export const CLOSE_DELAY_MS = 2000;

/**
 * Ends the response to a request whose body is not read, or not to its end. If the body is large, the connection must
 * close: the response announces this (`Connection: close`), and the body is discarded for a limited
 * time. Closing at once would reset the connection, and the client would lose the response (RFC
 * 9112, section 9.6). A refusal is sent at the turn of its sender.
 * @param body the complete response body; its headers are already set
 */
export function drainAndClose(req: IncomingMessage, res: ServerResponse, body: string): void {
  sendInTurn(res, () => sendAndDrain(req, res, body));
}

function sendAndDrain(req: IncomingMessage, res: ServerResponse, body: string): void {
  const isUnderWay = hasBody(req) && !req.complete;
  const isLarge = isUnderWay && (announcedLength(req) ?? SMALL + 1) > SMALL;
  if (isLarge || withSmallChunks.has(req)) res.setHeader('Connection', 'close');
  const closes = res.getHeader('Connection') === 'close' || !res.shouldKeepAlive;
  if (isUnderWay && (!closes || withSmallChunks.has(req))) {
    endAndDiscard(req, res, body, REST_TIMEOUT_MS);
    return;
  }
  // A discarded body uses no memory.
  req.unpipe();
  req.resume();
  if (!isUnderWay) {
    endWith(res, body);
    return;
  }
  res.flushHeaders();
  res.write(body);
  discard(req, () => res.end());
}

/**
 * Ends a response, and discards the rest of the body of its request. Ends the connection if the
 * rest does not arrive in time, or at once if it comes in small chunks: reading those would cost
 * more than the refusal saves.
 */
export function endAndDiscard(req: IncomingMessage, res: ServerResponse, text: string, timeoutMs: number): void {
  req.unpipe();
  if (withSmallChunks.has(req)) {
    req.pause();
    res.end(text, () => req.socket.destroy());
    return;
  }
  req.resume();
  res.end(text);
  if (req.complete) return;
  const timer = setTimeout(() => req.socket.destroy(), timeoutMs);
  req.once('close', () => clearTimeout(timer));
}

/** Discards the rest of a body until it ends, the sender disconnects, or a limit is reached. */
function discard(req: IncomingMessage, done: () => void): void {
  const meter = new BodyMeter(req, MAX_DISCARDED);
  const end = () => {
    clearTimeout(timer);
    req.off('data', count).off('end', end).off('close', end);
    done();
  };
  const count = ({ length }: Buffer) => {
    if (!meter.add(length)) return;
    req.pause();
    end();
  };
  const timer = setTimeout(end, CLOSE_DELAY_MS);
  req.on('data', count).once('end', end).once('close', end);
}
