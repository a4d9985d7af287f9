import { dirname, join, relative } from 'node:path';
import { workerData } from 'node:worker_threads';
import type { Logger } from 'pino';
import { type Config, readConfig } from './config.js';
import { findMisspelledSettings } from './misspelled-settings.js';
import { openService } from './service.js';
import { logLateStop, stopRequest } from './stop.js';
import { createLog } from './telemetry/request-log.js';
import type { Tracing } from './telemetry/spans.js';
import { startTracing } from './telemetry/tracing.js';

// In a bundle, Node.js takes the code of packages for ours, and would warn of what they use.
process.noDeprecation = true;

let hasStarted = false;
try {
  refuseArguments(process.argv.slice(2));
  const config = readConfig(process.env);
  const log = createLog(config.logLevel);
  const misspelled = findMisspelledSettings(process.env);
  if (misspelled.length > 0) log.warn(`ignored variables: ${misspelled.join('; ')}`);
  const tracing = await startTracing(process.env, log);
  try {
    await serve(config, log, tracing);
  } finally {
    await tracing?.stop();
  }
  // OpenTelemetry would retry an unreachable collector for some time, with nobody there to see it.
  if (tracing) process.exit();
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  const failed = hasStarted ? 'did not stop in order' : 'did not start';
  process.stderr.write(`Roster ${failed}: ${reason}\n`);
  process.exitCode = 1;
}

async function serve(config: Config, log: Logger, tracing?: Tracing): Promise<void> {
  const service = await openService(config, log, tracing);
  try {
    await service.listen();
    hasStarted = true;
    const asked = stopRequest();
    if (workerData instanceof Int32Array) Atomics.store(workerData, 0, config.drainSeconds * 1000);
    // Flushed at once: a supervisor that waits for this line may then stop the service.
    log.flush();
    service.work();
    const { cause, hurry } = await asked;
    const drainMs = hurry.aborted ? 0 : config.drainSeconds * 1000;
    log.info({ signal: cause, drain_seconds: drainMs / 1000 }, 'stopping');
    log.flush();
    logLateStop(drainMs, hurry, service.underWay, log);
    await service.drain(drainMs, hurry);
  } finally {
    await service.stop();
  }
  log.info('stopped');
}

/** @throws if somebody takes this for a command: it would start a service beside the one that runs */
function refuseArguments(args: readonly string[]): void {
  if (args.length === 0) return;
  const folder = relative('', dirname(process.argv[1] ?? ''));
  throw new Error(
    `main.js runs the service, and takes no arguments such as "${args.join(' ')}"; commands are run by node ${join(folder, 'commands/roster.js')}, and settings are environment variables`,
  );
}
