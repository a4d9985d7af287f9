import {
  type Attributes,
  isSpanContextValid,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Request, RequestHandler, Response } from 'express';
import { withoutKeys } from '../auth/without-keys.js';
import { onResponseClose, wasSent } from '../edge/connections.js';

/**
 * Creates a span for each request, a child of the caller's if it sent a `traceparent` (W3C Trace
 * Context). The span has the name of the operation and the attributes of OpenTelemetry's semantic
 * conventions for HTTP servers, except those that may hold secrets or personal data: no query,
 * headers, body or client address.
 *
 * Put it before the request log, whose lines then contain the trace's id.
 */
export function requestSpans(): RequestHandler {
  const tracer = trace.getTracer('roster');
  return (req, res, next) => {
    const caller = propagation.extract(ROOT_CONTEXT, req.headers);
    const attributes = ofRequest(req);
    const span = tracer.startSpan(nameOf(req), { kind: SpanKind.SERVER, attributes }, caller);
    const context = span.spanContext();
    if (isSpanContextValid(context)) res.locals.traceId = context.traceId;
    // Nothing is recorded for a request that the sampler skipped.
    if (span.isRecording()) onResponseClose(req, res, () => end(span, res));
    next();
  };
}

/**
 * The known methods. Others are recorded as `_OTHER`, so that callers cannot create values without
 * end.
 */
const METHODS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));

/** Returns the name of a span until its operation is known. */
function nameOf({ method }: Request): string {
  return METHODS.has(method) ? method : 'HTTP';
}

function ofRequest(req: Request): Attributes {
  return {
    'http.request.method': METHODS.has(req.method) ? req.method : '_OTHER',
    'url.scheme': req.protocol,
    'url.path': withoutKeys(pathOf(req.originalUrl)),
    'network.protocol.version': req.httpVersion,
  };
}

/** Returns the path of a target in any of its forms (RFC 9112, section 3.2). */
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '') || '/';
}

function end(span: Span, res: Response): void {
  const { operationId } = res.locals;
  if (operationId) span.updateName(operationId);
  const { route } = res.locals;
  if (route) span.setAttribute('http.route', route);
  if (res.headersSent) span.setAttribute('http.response.status_code', res.statusCode);
  const error = errorOf(res);
  if (error) span.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}

/** Returns the failure of the service; a refused request is not one. */
function errorOf(res: Response): string | undefined {
  if (!wasSent(res)) return 'aborted';
  return res.statusCode >= 500 ? String(res.statusCode) : undefined;
}

/** Facts about a span. */
type Facts = Readonly<Record<string, string | number | boolean>>;

export type StartSpan = (
  name: string,
  attributes: Facts,
) => {
  /** Adds an event to the span. */
  event(name: string, facts: Facts): void;
  /** Ends the span, with the kind of failure if it failed. */
  end(failure?: string): void;
};

/** Returns the function that starts a span beside those of requests. */
export function answerSpans(): StartSpan {
  const tracer = trace.getTracer('roster');
  return (name, attributes) => {
    const span = tracer.startSpan(name, { attributes });
    return {
      event: (event, facts) => {
        span.addEvent(event, facts);
      },
      end: (failure) => {
        if (failure) span.setAttribute('error.type', failure);
        if (failure) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  };
}
