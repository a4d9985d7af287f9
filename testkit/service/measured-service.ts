import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { v4 as uuidv4 } from 'uuid';
import { findListeningUrl, readPid } from './child-process.js';

/** Limit the young generation of the measured programs as the service does for its thread. */
export const NODE_FLAGS = ['--max-semi-space-size=8'];

const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));

/** The built service in its own process, as `npm start` runs it. */
export interface Service {
  readonly url: string;
  readonly pid: number;
  /** Sends a message to the preloaded module, and returns its reply. */
  ask(question: string): Promise<unknown>;
  /** Returns the output so far. */
  log(): string;
  /** Returns the exit code, or the signal that ended it; undefined while it runs. */
  exit(): number | NodeJS.Signals | undefined;
  /** Kills the process like a crash, and waits until it has ended. */
  kill(): Promise<void>;
  /** Asks the process to stop, and waits until it has ended. */
  stop(): Promise<void>;
}

/** The service ended before it listened. */
export class DidNotStart extends Error {
  /** @param log the whole output */
  constructor(
    readonly code: number | null,
    readonly log: string,
  ) {
    super(`The service ended with ${code}:\n${log}`);
  }
}

/**
 * Starts the service on a free port of the loopback address, and waits until it listens.
 * @param folder the folder of its log; with a pipe, this process would spend its time reading
 * @param preload a module that is loaded before the service
 * @param cwd the folder that it runs in
 * @param main the program to run instead of the service, which logs its address in the same way
 * @throws {DidNotStart}
 */
export async function startService(
  folder: string,
  databaseUrl: string,
  env: NodeJS.ProcessEnv = {},
  { preload, main = MAIN, cwd }: { preload?: URL; main?: string; cwd?: string } = {},
): Promise<Service> {
  const logFile = join(folder, `${uuidv4()}.log`);
  const output = openSync(logFile, 'a');
  const imports = preload ? ['--import', preload.href] : [];
  const child = spawn(process.execPath, [...NODE_FLAGS, ...imports, main], {
    cwd,
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATABASE_URL: databaseUrl, DRAIN_SECONDS: '0', ...env },
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
  const exit = () => child.exitCode ?? child.signalCode ?? undefined;
  return { url, pid: readPid(child), ask, log, exit, kill: () => end('SIGKILL'), stop };
}

async function listening(child: ChildProcess, log: () => string): Promise<string> {
  for (;;) {
    const url = findListeningUrl(log());
    if (url) return url;
    if (child.exitCode !== null) throw new DidNotStart(child.exitCode, log());
    await delay(10);
  }
}

/**
 * Returns the memory of a process, in MiB (proc_pid_status(5)); NaN after it has ended. Linux only, like
 * everything that reads /proc.
 */
export function residentMemory(pid: number): number {
  const found = /VmRSS:\s+(\d+)/.exec(procFile(pid, 'status'));
  return Number(found?.[1]) / 1024;
}

/**
 * Returns the memory of a process and its descendants, in MiB. Shared memory, such as the code of Node.js, counts
 * once (proc_pid_smaps(5), Pss).
 */
export function treeMemory(pid: number): number {
  return listTree(pid).reduce((sum, process) => sum + (proportionalMemory(process.pid) || 0), 0);
}

function proportionalMemory(pid: number): number {
  return Number(/^Pss:\s+(\d+)/m.exec(procFile(pid, 'smaps_rollup'))?.[1]) / 1024;
}

/** Returns the processor time of a process and its descendants, also of those that have ended, in milliseconds. */
export function treeTime(pid: number): number {
  return listTree(pid).reduce((sum, process) => {
    const { own, ended } = readTimes(process.pid);
    return sum + (own + ended || 0);
  }, 0);
}

/** A process, which its start tells from a later one with the same id. */
export interface ProcessId {
  readonly pid: number;
  /** In clock ticks after the boot. */
  readonly startTime: string;
  readonly command: string;
}

/** Returns a process and its descendants. */
export function listTree(pid: number): ProcessId[] {
  const all = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => ({ pid: Number(entry), stat: readStat(Number(entry)) }));
  const tree = new Set([pid]);
  for (let size = 0; size < tree.size; ) {
    size = tree.size;
    for (const { pid: child, stat } of all) if (tree.has(Number(stat[1]))) tree.add(child);
  }
  return all
    .filter((process) => tree.has(process.pid))
    .map(({ pid, stat }) => ({ pid, startTime: stat[19] ?? '', command: readCommand(pid) }));
}

/** Returns whether a process still runs; one that has ended and that nobody has awaited does not. */
export function isRunning({ pid, startTime }: ProcessId): boolean {
  const stat = readStat(pid);
  return stat[19] === startTime && stat[0] !== 'Z';
}

/** Kills a process if it still runs. */
export function endProcess(id: ProcessId): void {
  if (isRunning(id)) process.kill(id.pid, 'SIGKILL');
}

/** Returns the last part of the path of the script that a process runs. */
function readCommand(pid: number): string {
  return procFile(pid, 'cmdline').split('\0').filter(Boolean).at(-1)?.split('/').at(-1) ?? '';
}

/** Returns the fields of a process from its state on (proc_pid_stat(5)); none after it has ended. */
function readStat(pid: number): readonly string[] {
  // The name of the program, in parentheses, may contain blanks.
  const stat = procFile(pid, 'stat');
  return stat === '' ? [] : stat.replace(/^.*\) /s, '').split(' ');
}

/** Reads a file of a process in /proc; empty after the process has ended. */
function procFile(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Returns the processor time that all processors have worked since the boot, in milliseconds (proc_stat(5)).
 */
export function busyTime(): number {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8').split(/\s+/);
  return [user, nice, system, irq, softirq].reduce((sum, ticks) => sum + Number(ticks) * TICK, 0);
}

/** The length of the kernel's clock tick, in milliseconds: 100 Hz on all supported machines. */
const TICK = 10;

/** Returns the processor time of a process, in milliseconds; NaN after it has ended. */
export function processorTime(pid: number): number {
  return readTimes(pid).own;
}

/** Returns the processor times of a process and of its children that have ended, in milliseconds. */
function readTimes(pid: number): { readonly own: number; readonly ended: number } {
  const [user = Number.NaN, system = 0, ended = 0, endedSystem = 0] = readStat(pid).slice(11, 15).map(Number);
  return { own: (user + system) * TICK, ended: (ended + endedSystem) * TICK };
}
