import { setTimeout as delay } from 'node:timers/promises';
import {
  type Attributes,
  context,
  type DiagLogger,
  DiagLogLevel,
  diag,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { Exchange } from '../edge/exchange.js';
import { MAX_ADDRESS_LENGTH, showText } from '../problems/shown-text.js';

/** The longest time that a stop waits for a collector, in milliseconds. */
const FLUSH_TIMEOUT_MS = 3000;

type Facts = Readonly<Record<string, string | number | boolean>>;

export type Tracing = ReturnType<typeof startSpans>;
export type StartSpan = typeof startSpan;

/**
 * Starts to send spans to where OpenTelemetry's variables of the environment say.
 * @param log gets what OpenTelemetry complains of, such as a collector that is away
 */
export function startSpans(log: Logger) {
  const sdk = new NodeSDK({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go over it; `serviceName` would go over them.
    resource: resources.defaultResource().merge(resources.resourceFromAttributes({ 'service.name': 'roster' })),
    // Left out, they would be sent to the same collector: numbers are scraped, and logs are lines.
    metricReaders: [],
    logRecordProcessors: [],
  });
  // Only now: the SDK sets another one, for OTEL_LOG_LEVEL, that writes between the lines of the log.
  diag.setLogger(logMessages(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true });
  sdk.start();
  return {
    traceRequests,
    startSpan,
    /**
     * Sends the spans that wait, and ends. A collector that does not take them is waited for briefly; what is still
     * trying then keeps a process from ending by itself, until OTEL_EXPORTER_OTLP_TIMEOUT (10 s).
     */
    async stop(): Promise<void> {
      const sent = sdk.shutdown().then(
        () => true,
        () => false,
      );
      const inTime = await Promise.race([sent, delay(FLUSH_TIMEOUT_MS, false, { ref: false })]);
      if (!inTime) log.warn('the last spans were not sent');
      for (const part of [trace, propagation, context, diag]) part.disable();
    },
  };
}

/** The interval between two log lines about unsent spans, in milliseconds: every batch fails again. */
const QUIET_MS = 60_000;

/** Logs OpenTelemetry's messages, none of them as an error of the service. */
function logMessages(log: Logger): DiagLogger {
  let quietUntil = 0;
  return {
    error(detail) {
      if (Date.now() < quietUntil) return;
      quietUntil = Date.now() + QUIET_MS;
      log.warn({ detail }, 'spans are not sent');
    },
    warn: (detail) => log.warn({ detail }, 'tracing'),
    info: (detail) => log.info({ detail }, 'tracing'),
    debug: (detail) => log.debug({ detail }, 'tracing'),
    verbose: (detail) => log.trace({ detail }, 'tracing'),
  };
}

/**
 * Creates a span for each request, a child of the caller's if it sent a `traceparent` (W3C Trace Context). The span has
 * the name of the operation and the attributes of OpenTelemetry's semantic conventions for HTTP servers, except those
 * that may hold secrets or personal data: no query, headers, body or client address.
 *
 * Put it before the request log, whose lines then contain the trace's id.
 */
const traceRequests: RequestHandler = (req, res, next) => {
  const caller = propagation.extract(ROOT_CONTEXT, req.headers);
  // Until the operation is known.
  const name = METHODS.has(req.method) ? req.method : 'HTTP';
  const options = { kind: SpanKind.SERVER, attributes: describeRequest(req) };
  const span = trace.getTracer('roster').startSpan(name, options, caller);
  const spanContext = span.spanContext();
  if (isSpanContextValid(spanContext)) res.locals.traceId = spanContext.traceId;
  // Nothing is recorded for a request that the sampler skipped.
  if (span.isRecording()) Exchange.of(res).onClose(() => endRequestSpan(span, res));
  next();
};

/** The known methods. Others are recorded as `_OTHER`, so that callers cannot create values without end. */
const METHODS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));

function describeRequest({ method, protocol, originalUrl, httpVersion }: Request): Attributes {
  // A target may have any of its forms (RFC 9112, section 3.2).
  const path = originalUrl.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
  return {
    'http.request.method': METHODS.has(method) ? method : '_OTHER',
    'url.scheme': protocol,
    'url.path': showText(path, MAX_ADDRESS_LENGTH),
    'network.protocol.version': httpVersion,
  };
}

function endRequestSpan(span: Span, res: Response): void {
  const { operation } = res.locals;
  if (operation) span.updateName(operation.id).setAttribute('http.route', operation.path);
  if (res.headersSent) span.setAttribute('http.response.status_code', res.statusCode);
  // A refused request is not a failure of the service.
  const status = res.statusCode >= 500 ? String(res.statusCode) : undefined;
  endSpan(span, res.writableFinished ? status : 'aborted');
}

function endSpan(span: Span, failure: string | undefined): void {
  if (failure) span.setAttribute('error.type', failure).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Starts a span beside those of requests. */
function startSpan(name: string, attributes: Facts) {
  const span = trace.getTracer('roster').startSpan(name, { attributes });
  return {
    addEvent: (event: string, facts: Facts): void => void span.addEvent(event, facts),
    /** Ends the span, with the kind of failure if it failed. */
    end: (failure?: string) => endSpan(span, failure),
  };
}
