import type { DiagLogger } from '@opentelemetry/api';
import type { Logger } from 'pino';

/** How often it is said that spans are not sent, in milliseconds: each batch fails anew. */
const INTERVAL = 60_000;

/** Writes what OpenTelemetry complains of to the log of the service; none of it is an error of the service. */
export function collectorFaults(log: Logger): DiagLogger {
  let quietUntil = 0;
  return {
    error(detail) {
      if (Date.now() < quietUntil) return;
      quietUntil = Date.now() + INTERVAL;
      log.warn({ detail }, 'spans are not sent');
    },
    warn: (detail) => log.warn({ detail }, 'tracing'),
    info: (detail) => log.info({ detail }, 'tracing'),
    debug: (detail) => log.debug({ detail }, 'tracing'),
    verbose: (detail) => log.trace({ detail }, 'tracing'),
  };
}
