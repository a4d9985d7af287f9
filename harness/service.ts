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
  /** Asks the module that was loaded before the service; gives what it sends back. */
  ask(question: string): Promise<unknown>;
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

/** With what `npm start` starts Node. */
export const FLAGS = ['--max-semi-space-size=8'];

/**
 * Starts the service on a free port of the loopback address, and waits until it listens.
 * @param folder where its log goes: a pipe would make this process read what it measures
 * @param preload a module that is loaded into the process before the service
 * @param main what is run in place of the service, and logs as it does where it listens
 * @throws {DidNotStart}
 */
export async function startService(
  folder: string,
  databaseUrl: string,
  env: NodeJS.ProcessEnv = {},
  { preload, main = MAIN }: { preload?: URL; main?: string } = {},
): Promise<Service> {
  const logFile = join(folder, `${uuidv4()}.log`);
  const output = openSync(logFile, 'a');
  const imports = preload ? ['--import', preload.href] : [];
  const child = spawn(process.execPath, [...FLAGS, ...imports, main], {
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: databaseUrl, ...env },
    stdio: ['ignore', output, output, 'ipc'],
  });
  closeSync(output);
  const exited = once(child, 'exit');
  const log = () => readFileSync(logFile, 'utf8');
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal);
    await exited;
  };
  const ask = async (question: string) => {
    child.send(question);
    const [answer]: unknown[] = await once(child, 'message');
    return answer;
  };
  const url = await listening(child, log);
  const stop = () => end('SIGTERM');
  return { url, pid: pidOf(child), ask, log, kill: () => end('SIGKILL'), stop };
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

/** The processes that a process has started and that still run. */
export function childrenOf(pid: number): number[] {
  const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return list.split(' ').filter(Boolean).map(Number);
}

/** The memory that a process holds, in MiB (proc_pid_status(5)). Linux only, as everything that reads /proc. */
export function residentMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024;
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
