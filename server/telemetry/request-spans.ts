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
import { atClose, wentOut } from '../http/on-response-close.js';
import { noteTraceId } from './trace-id.js';

/**
 * Makes one span of each request that passes, a child of the caller's if it sent a `traceparent`
 * (W3C Trace Context). It is named as the operation, and says what OpenTelemetry's semantic
 * conventions say of an HTTP server's span, without what may hold a secret or a person: no query,
 * no header, no body, no address of the caller.
 *
 * Put it before the log of requests, whose lines then carry the trace.
 */
export function requestSpans(): RequestHandler {
  const tracer = trace.getTracer('roster');
  return (req, res, next) => {
    const caller = propagation.extract(ROOT_CONTEXT, req.headers);
    const attributes = ofRequest(req);
    const span = tracer.startSpan(nameOf(req), { kind: SpanKind.SERVER, attributes }, caller);
    const context = span.spanContext();
    if (isSpanContextValid(context)) noteTraceId(res, context.traceId);
    // Of a request that the sampler passed over nothing is written down.
    if (span.isRecording()) atClose(req, res, () => end(span, res));
    next();
  };
}

/** Any other is sent as `_OTHER`, so that a caller cannot make up new ones without end. */
const METHODS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT'.split(' '));

/** Its name until the operation is known. */
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

/** The path of a target in any of its forms (RFC 9112, section 3.2). */
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

/** A failure of the service; a refused request is none. */
function errorOf(res: Response): string | undefined {
  if (!wentOut(res)) return 'aborted';
  return res.statusCode >= 500 ? String(res.statusCode) : undefined;
}
