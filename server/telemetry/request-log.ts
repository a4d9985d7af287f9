import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import { type DestinationStream, type Logger, pino } from 'pino';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { NoteFailure } from '../api/reply/error-handler.js';
import type { RequestContext } from '../api/request-context.js';
import { isOwnOrigin } from '../auth/origins.js';
import { Exchange } from '../edge/exchange.js';
import { withoutQuery } from '../edge/request.js';
import { MAX_ADDRESS_LENGTH, showText } from '../problems/shown-text.js';

/** The characters of lines that are written together, and the longest time that they wait, in milliseconds. */
const WRITE_SIZE = 12_288;
const WRITE_EVERY_MS = 100;

/**
 * Creates the log of the service, whose lines go to standard output. One write per line costs too much, and
 * pino's destination copies all that waits for each line that it gets, so lines are joined before it.
 */
export function createLog(level: string): Logger {
  const output = pino.destination({ sync: true });
  let lines = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (lines !== '') output.write(lines);
    lines = '';
  };
  const write = (line: string) => {
    lines += line;
    if (lines.length >= WRITE_SIZE) flush();
    else timer ??= setTimeout(flush, WRITE_EVERY_MS).unref();
  };
  process.on('exit', () => {
    flush();
    output.flushSync();
  });
  const destination: DestinationStream & { flush(): void } = { write, flush };
  return pino({ level }, destination);
}

/** In seconds: from a response out of memory to a training's upload. */
const DURATION_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * The metrics of one operation. They are kept because prom-client would create its children again, and sort
 * their labels, each time.
 */
interface OperationSeries {
  readonly duration: Histogram.Internal<'operation'>;
  /** The requests since the last scrape. */
  readonly byStatus: Map<number | 'aborted', number>;
}

/** The metrics of requests. */
export class RequestMetrics {
  readonly #operations = new Map<string, OperationSeries>();
  readonly #requests: Counter<'operation' | 'status'>;
  readonly #durations: Histogram<'operation'>;
  readonly #deprecated: Counter<'operation'>;
  inProgress = 0;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'roster_requests_total',
      help: 'Requests that have ended, by operation and by status; aborted: the answer did not go out whole.',
      labelNames: ['operation', 'status'],
      registers,
      collect: () => {
        for (const [operation, { byStatus }] of this.#operations) {
          for (const [status, count] of byStatus) this.#requests.inc({ operation, status }, count);
          byStatus.clear();
        }
      },
    });
    this.#durations = new Histogram({
      name: 'roster_request_duration_seconds',
      help: 'From the arrival of a request to the end of its answer.',
      labelNames: ['operation'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#deprecated = new Counter({
      name: 'roster_deprecated_requests_total',
      help: 'Requests that used something deprecated, by operation; none: an address with a doubled prefix.',
      labelNames: ['operation'],
      registers,
    });
    const inProgress: Gauge = new Gauge({
      name: 'roster_requests_in_progress',
      help: 'Requests that have not ended, this one among them.',
      registers,
      collect: () => inProgress.set(this.inProgress),
    });
  }

  /** Begins to count the errors of operations: without an initial 0, a rate could not include the very first one. */
  expect(operations: readonly string[]): void {
    for (const operation of operations) this.#requests.inc({ operation, status: 500 }, 0);
  }

  /** Counts a request by the operation of `res.locals`, after its end. */
  count(res: Response, milliseconds: number): void {
    const { operation, sunset } = res.locals;
    const operationId = operation?.id ?? 'none';
    let series = this.#operations.get(operationId);
    if (!series) {
      series = { duration: this.#durations.labels(operationId), byStatus: new Map() };
      this.#operations.set(operationId, series);
    }
    const status = res.writableFinished ? res.statusCode : 'aborted';
    series.byStatus.set(status, (series.byStatus.get(status) ?? 0) + 1);
    series.duration.observe(milliseconds / 1000);
    if (sunset) this.#deprecated.inc({ operation: operationId });
  }
}

/** Assigns an id to each request; counts, times and logs it when its response has ended. */
export function observeRequests(log: Logger, requests: RequestMetrics): (req: Request, res: Response) => void {
  return (req, res) => {
    const begun = performance.now();
    requests.inProgress++;
    const id = readRequestId(req);
    res.locals.requestId = id;
    res.setHeader('X-Request-Id', id);
    const { method, headers } = req;
    // Unknown once the connection has ended.
    const address = req.socket.remoteAddress;
    Exchange.of(res).onClose(() => {
      const milliseconds = performance.now() - begun;
      requests.inProgress--;
      requests.count(res, milliseconds);
      const { statusCode } = res;
      const { operation, caller, params, traceId }: RequestContext = res.locals;
      // A 503 is by design, not an error.
      const failure = statusCode === 503 ? 'warn' : 'error';
      log[statusCode < 500 ? 'info' : failure](
        {
          req: {
            id,
            method,
            url: describeUrl(req.originalUrl),
            address,
            forwarded_for: shorten(headers['x-forwarded-for']),
            user_agent: shorten(headers['user-agent']),
          },
          operation: operation?.id,
          owner: caller?.owner,
          key: caller?.key?.id,
          subject: shorten(caller?.identity?.subject),
          project: shorten(params?.['project_name'] ?? params?.['projectName']),
          model: shorten(params?.['modelName']),
          trace_id: traceId,
          refused_origin: headers.origin === undefined ? undefined : findRefusedOrigin(headers.origin, req, res),
          res: { statusCode },
          responseTime: Math.round(milliseconds),
        },
        res.writableFinished ? 'request completed' : 'request aborted',
      );
    });
  };
}

export function logFailures(log: Logger): NoteFailure {
  return ({ method, originalUrl }, { locals }, cause, what) => {
    const req = { id: locals.requestId ?? '', method, url: describeUrl(originalUrl) };
    log.error({ req, err: cause }, what);
  };
}

/** Returns an address without its query, and without keys that were put into it by mistake. */
function describeUrl(url: string): string {
  return showText(withoutQuery(url), MAX_ADDRESS_LENGTH);
}

/** The most characters of what a caller sent in a field of a line. */
const MAX_FIELD_LENGTH = 200;

function shorten(sent: string | string[] | undefined): string | undefined {
  return sent === undefined ? undefined : showText(String(sent), MAX_FIELD_LENGTH);
}

/** Returns the origin of a page that may not read the answer; undefined for the service's own pages. */
function findRefusedOrigin(origin: string, { headers }: IncomingMessage, res: ServerResponse): string | undefined {
  const isAllowed = res.hasHeader('Access-Control-Allow-Origin') || isOwnOrigin(origin, headers.host);
  return isAllowed ? undefined : shorten(origin);
}

const REQUEST_ID = /^[A-Za-z0-9_.:-]{1,128}$/;

/** Returns the caller's request id if it is well-formed and contains no key, else a new one. */
function readRequestId({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id'];
  const isFit = typeof sent === 'string' && REQUEST_ID.test(sent) && !sent.includes('roster_');
  return isFit ? sent : randomUUID();
}
