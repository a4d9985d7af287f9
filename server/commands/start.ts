import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { STOP_WITH_PARENT } from '../stop.js';

/**
 * The V8 flags of the service: they limit V8's young generation. V8 reads them only when a process
 * starts: `v8.setFlagsFromString` comes too late, and BusyBox does not support `#!/usr/bin/env -S`.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8'];

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/**
 * `start`: runs the service in a process with its flags, waits for it, and forwards signals. If this
 * process is killed, the channel to the service closes, and the service stops.
 */
export const startCommand = new Command('start').description('run the service').action(async () => {
  // In its own process group, the service does not get Ctrl-C twice, which would end it at once.
  // Windows has no signals to forward: there Ctrl-C reaches every process of the console.
  const detached = process.platform !== 'win32';
  const flags = [...NODE_FLAGS, ...process.execArgv];
  const service = spawn(process.execPath, [...flags, MAIN, STOP_WITH_PARENT], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    detached,
  });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (detached) service.kill(signal);
    });
  }
  await once(service, 'exit');
  const { exitCode, signalCode } = service;
  process.exitCode = signalCode ? 128 + constants.signals[signalCode] : (exitCode ?? 1);
});
