import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { v4 as uuidv4 } from 'uuid';

const MAIN = fileURLToPath(new URL('../server/main.js', import.meta.url));

/** The built service in a process of its own, as `npm start` runs it. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  /** Everything that it has written so far. */
  log(): string;
  /** Ends it as a crash would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Asks it to stop, and waits until it has. */
  stop(): Promise<void>;
}

/** The service ended before it listened. */
export class DidNotStart extends Error {
  /** @param log everything that it wrote */
  constructor(
    readonly code: number | null,
    readonly log: string,
  ) {
    super(`The service ended with ${code}:\n${log}`);
  }
}

/**
 * Starts the service on a free port of the loopback address, and waits until it listens.
 * @param folder where its log goes: a pipe would make this process read what it measures
 * @throws {DidNotStart}
 */
export async function startService(
  folder: string,
  databaseUrl: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Service> {
  const logFile = join(folder, `${uuidv4()}.log`);
  const output = openSync(logFile, 'a');
  const child = spawn(process.execPath, ['--max-semi-space-size=8', MAIN], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: databaseUrl, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const exited = once(child, 'exit');
  const log = () => readFileSync(logFile, 'utf8');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  const url = await listening(child, log);
  return { url, pid: pidOf(child), log, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') };
}

async function listening(child: ChildProcess, log: () => string): Promise<string> {
  for (;;) {
    const url = /"url":"([^"]+)".*"msg":"listening"/.exec(log())?.[1];
    if (url) return url;
    if (child.exitCode !== null) throw new DidNotStart(child.exitCode, log());
    await delay(10);
  }
}

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('The service was not started');
  return pid;
}

/** The memory that a process holds, in MiB. Linux only, as everything that reads /proc. */
export function residentMemory(pid: number): number {
  const kibibytes = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kibibytes) / 1024;
}

/** The length of the kernel's clock tick, in which it tells times, in milliseconds: 100 Hz on all that we run on. */
const TICK = 10;

/** The time of a processor that a process has used, in milliseconds. */
export function processorTime(pid: number): number {
  // The name of the program, in parentheses, may hold blanks (proc_pid_stat(5)).
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK;
}
