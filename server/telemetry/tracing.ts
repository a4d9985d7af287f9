import type { Logger } from 'pino';
import type { Tracing } from './spans.js';

type Environment = Readonly<Record<string, string | undefined>>;

/** The package that creates spans, an optional peer dependency. */
const SDK = '@opentelemetry/sdk-node@0.223.0';

/** The address that spans are sent to. */
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] as const;

/**
 * Starts to send spans, if the environment says where to (OTEL_EXPORTER_OTLP_ENDPOINT,
 * OTEL_EXPORTER_OTLP_TRACES_ENDPOINT or OTEL_TRACES_EXPORTER) and OTEL_SDK_DISABLED is not true.
 * Otherwise nothing of OpenTelemetry is loaded, and it need not be installed.
 * @param env the environment of the process: OpenTelemetry reads its other variables from there too
 * @throws if the address that spans are to be sent to is none, or OpenTelemetry is not installed
 */
export async function startTracing(env: Environment, log: Logger): Promise<Tracing | undefined> {
  if (!isWanted(env)) return undefined;
  for (const name of ENDPOINTS) refuseMalformed(name, env[name]);
  const { startSpans } = await importSpans();
  return startSpans(log);
}

async function importSpans() {
  try {
    return await import('./spans.js');
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    const remedy = `install it (npm install ${SDK}), or unset the variables that begin with OTEL_`;
    throw new Error(`spans need OpenTelemetry, which is not installed: ${remedy}`, { cause });
  }
}

function isWanted(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  if (env.OTEL_TRACES_EXPORTER?.trim() === 'none') return false;
  return [...ENDPOINTS, 'OTEL_TRACES_EXPORTER'].some((name) => env[name]);
}

/** OpenTelemetry itself would go on without it, and every span be lost. */
function refuseMalformed(name: string, address = ''): void {
  if (address === '' || (/^https?:\/\//i.test(address) && URL.canParse(address))) return;
  // It may hold a password, and is not repeated then.
  const is = address.includes('@') ? '' : `, not "${address}"`;
  throw new Error(`${name} must be an address that begins with http:// or https://${is}`);
}
