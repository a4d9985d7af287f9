import type { DiagLogger } from '@opentelemetry/api';
import type { Logger } from 'pino';

/**
 * The interval between two log lines about unsent spans, in milliseconds: every batch fails again.
 */
const INTERVAL = 60_000;

/** Logs OpenTelemetry's messages, none of them as an error of the service. */
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
