import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { NODE_FLAGS } from '../../server/commands/start.js';
import { CONTRACT_FILE } from './contract-file.js';
import { ENVIRONMENT } from './environment.js';
import type { Running } from './running.js';

const PRISM = fileURLToPath(new URL('../../../node_modules/.bin/prism', import.meta.url));

/**
 * Prism's own program, in one process. With multiprocess, as in production, a second
 * process would serve, which would not be measured.
 */
const MOCK = ['mock', CONTRACT_FILE, '--host', '127.0.0.1', '--port', '0', '--multiprocess=false'];

/** Starts Prism on the contract, with its log in a file. @throws if it ends before it listens */
export async function startPrism(folder: string): Promise<Running> {
  await mkdir(folder);
  const logFile = join(folder, 'prism.log');
  const output = openSync(logFile, 'a');
  const child = spawn(process.execPath, [...NODE_FLAGS, PRISM, ...MOCK], {
    env: { ...process.env, ...ENVIRONMENT },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const exited = once(child, 'exit');
  for (;;) {
    const log = readFileSync(logFile, 'utf8');
    const [, url] = /listening on (http:\S+)/.exec(log) ?? [];
    if (child.exitCode !== null || child.pid === undefined) throw new Error(`Prism ended:\n${log}`);
    if (url) return { url, pid: child.pid, kill: () => end() };
    await delay(20);
  }
  async function end(): Promise<void> {
    child.kill('SIGKILL');
    await exited;
  }
}
