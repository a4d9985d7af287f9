import { type Logger, pino } from 'pino';
import { type Config, readConfig } from './config.js';
import { openService } from './service.js';
import { stopSignal } from './stop-signal.js';
import { startTracing, type Tracing } from './telemetry/tracing.js';

// In a bundle, Node.js takes the code of packages for ours, and would warn of what they use.
process.noDeprecation = true;

try {
  const config = readConfig(process.env);
  // Lines are buffered, since one write per line costs too much; the rest is written at exit.
  const lines = pino.destination({ sync: true, minLength: 12_288, periodicFlush: 100 });
  process.on('exit', () => lines.flushSync());
  const log = pino({ level: config.logLevel }, lines);
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
  process.stderr.write(`Roster did not start: ${reason}\n`);
  process.exitCode = 1;
}

async function serve(config: Config, log: Logger, tracing?: Tracing): Promise<void> {
  const service = await openService(config, log, tracing);
  try {
    await service.listen();
    const signal = stopSignal();
    // Flushed at once: a supervisor that waits for this line may then stop the service.
    log.flush();
    service.work();
    log.info({ signal: await signal }, 'stopping');
  } finally {
    await service.stop();
  }
  log.info('stopped');
}
