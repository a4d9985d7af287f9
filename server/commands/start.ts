import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';

/**
 * The flags that the service runs with: a bound of V8's young generation. V8 reads it when a process begins;
 * `v8.setFlagsFromString` comes too late, and `#!/usr/bin/env -S` is unknown to BusyBox.
 */
export const NODE_FLAGS = ['--max-semi-space-size=8'];

const MAIN = fileURLToPath(new URL('../main.js', import.meta.url));

/** `start`: the service, in a process with its flags. The command waits for it and passes signals on. */
export const startCommand = new Command('start').description('run the service').action(async () => {
  // In a group of its own, the service does not get a Ctrl-C twice, which would end it at once. Windows has no
  // signals to pass on: there a Ctrl-C reaches every process of the console.
  const detached = process.platform !== 'win32';
  const flags = [...NODE_FLAGS, ...process.execArgv];
  const service = spawn(process.execPath, [...flags, MAIN], { stdio: 'inherit', detached });
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (detached) service.kill(signal);
    });
  }
  await once(service, 'exit');
  const { exitCode, signalCode } = service;
  process.exitCode = signalCode ? 128 + constants.signals[signalCode] : (exitCode ?? 1);
});
