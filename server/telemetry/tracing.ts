import { setTimeout as delay } from 'node:timers/promises';
import type { DiagLogger } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { StartSpan } from './spans.js';

/** The longest time that a stop waits for a collector, in milliseconds. */
const FLUSH_TIMEOUT_MS = 3000;

/** The package that creates spans, an optional peer dependency. */
const SDK = '@opentelemetry/sdk-node@0.223.0';

/** Spans are made and sent. */
export interface Tracing {
  /** Makes a span of each request. */
  readonly traceRequests: RequestHandler;
  readonly startSpan: StartSpan;
  /**
   * Sends the spans that wait, and ends. A collector that does not take them is waited for briefly;
   * what is still trying then keeps a process from ending by itself, until
   * OTEL_EXPORTER_OTLP_TIMEOUT (10 s).
   */
  stop(): Promise<void>;
}

/** The address that spans are sent to. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;

/**
 * Starts to send spans, if the environment says where to (OTEL_EXPORTER_OTLP_ENDPOINT,
 * OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_TRACES_EXPORTER) and OTEL_SDK_DISABLED is not true.
 * Otherwise nothing of OpenTelemetry is loaded, and it need not be installed.
 * @param env the environment of the process: OpenTelemetry reads its other variables from there too
 * @param log is told what OpenTelemetry complains of, such as a collector that is away
 * @throws if the address that spans are to be sent to is none, or OpenTelemetry is not installed
 */
export async function startTracing(
  env: Readonly<Record<string, string | undefined>>,
  log: Logger,
): Promise<Tracing | undefined> {
  if (!isWanted(env)) return undefined;
  for (const name of ENDPOINTS) refuseMalformed(name, env[name]);
  const { NodeSDK, resources } = await installedSdk();
  const { context, DiagLogLevel, diag, propagation, trace } = await import('@opentelemetry/api');
  const { answerSpans, requestSpans } = await import('./spans.js');
  const sdk = new NodeSDK({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES go over it; `serviceName` would go over them.
    resource: resources
      .defaultResource()
      .merge(resources.resourceFromAttributes({ 'service.name': 'roster' })),
    // Left out, they would be sent to the same collector: numbers are scraped, and logs are lines.
    metricReaders: [],
    logRecordProcessors: [],
  });
  // Only now: the SDK sets one of its own, for OTEL_LOG_LEVEL, that writes between the lines of the log.
  diag.setLogger(collectorFaults(log), {
    logLevel: DiagLogLevel.WARN,
    suppressOverrideMessage: true,
  });
  sdk.start();
  return {
    traceRequests: requestSpans(),
    startSpan: answerSpans(),
    async stop() {
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

async function installedSdk() {
  try {
    return await import('@opentelemetry/sdk-node');
  } catch (cause) {
    const isMissing =
      cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    const remedy = `install it (npm install ${SDK}), or unset the variables that begin with OTEL_`;
    throw new Error(`spans need OpenTelemetry, which is not installed: ${remedy}`, { cause });
  }
}

function isWanted(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  if (env.OTEL_TRACES_EXPORTER?.trim() === 'none') return false;
  return Boolean(
    env.OTEL_EXPORTER_OTLP_ENDPOINT ||
      env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ||
      env.OTEL_TRACES_EXPORTER,
  );
}

/** OpenTelemetry itself would go on without it, and every span be lost. */
function refuseMalformed(name: string, address = ''): void {
  if (address === '' || (/^https?:\/\//i.test(address) && URL.canParse(address))) return;
  // It may hold a password, and is not repeated then.
  const is = address.includes('@') ? '' : `, not "${address}"`;
  throw new Error(`${name} must be an address that begins with http:// or https://${is}`);
}

/**
 * The interval between two log lines about unsent spans, in milliseconds: every batch fails again.
 */
const QUIET_MS = 60_000;

/** Logs OpenTelemetry's messages, none of them as an error of the service. */
function collectorFaults(log: Logger): DiagLogger {
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
