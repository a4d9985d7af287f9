import { SHARE_ENV, Worker } from 'node:worker_threads';
import { NOT_STARTED, STOP_TIMEOUT_MS, type StopMessage } from './stop.js';

/** Limits V8's semi-spaces to 8 MiB, a third of the young generation. A flag of V8 overrides it. */
const MAX_YOUNG_GENERATION_MB = 24;

/**
 * Runs the service in a thread, and keeps the main thread free: Node.js delivers signals to the main
 * thread alone, so a service that ran there would miss them while its event loop is held. SIGTERM and
 * SIGINT ask the service to stop, the latter without a drain; a second signal of the same kind, or one
 * before the service has started, ends the process at once. Ten seconds after the drain the process
 * has ended, whatever still runs.
 * @param argv the arguments of the service, which refuses any argument
 */
export function runService(argv: readonly string[]): void {
  // The service writes the longest time of its drain here when it has started.
  const drain = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  Atomics.store(drain, 0, NOT_STARTED);
  const service = new Worker(new URL('./service-thread.js', import.meta.url), {
    argv: [...argv],
    workerData: drain,
    // A copy has another order, and on Windows other rules for case.
    env: SHARE_ENV,
    resourceLimits: { maxYoungGenerationSizeMb: MAX_YOUNG_GENERATION_MB },
    // Node.js would open both outputs here, which makes pipes non-blocking also for the log.
    stdout: true,
    stderr: true,
  });
  service.stdout.on('data', (chunk) => process.stdout.write(chunk));
  service.stderr.on('data', (chunk) => process.stderr.write(chunk));
  service.once('error', (error) => {
    throw error;
  });
  service.once('exit', (code) => {
    process.exitCode = code;
  });

  const stop = (signal: NodeJS.Signals, isHurried: boolean) => {
    const drainMs = Atomics.load(drain, 0);
    if (drainMs === NOT_STARTED) endProcess(signal);
    process.once(signal, () => endProcess(signal));
    const message: StopMessage = { cause: signal, isHurried };
    service.postMessage(message);
    setTimeout(
      () => {
        process.stderr.write('Roster took too long to stop: ended by force\n');
        endProcess('SIGKILL');
      },
      STOP_TIMEOUT_MS + (isHurried ? 0 : drainMs),
    ).unref();
  };
  process.once('SIGTERM', (signal) => stop(signal, false));
  process.once('SIGINT', (signal) => stop(signal, true));
}

/**
 * Ends the process by a signal that it does not handle. `process.exit` would wait for the thread of
 * the service, maybe for ever.
 */
function endProcess(signal: NodeJS.Signals): never {
  process.kill(process.pid, signal);
  // Signals from within a container do not end its first process (pid_namespaces(7)).
  process.abort();
}
