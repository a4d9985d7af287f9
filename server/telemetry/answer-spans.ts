import { SpanStatusCode, trace } from '@opentelemetry/api';
import type { StartSpan } from './tracing.js';

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
