import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The core of the servers and that of the load, if there are two and `taskset` is available. */
export interface Cores {
  readonly servers: number;
  readonly load: number;
}

/** @returns undefined if processes cannot be pinned to separate cores */
export function separateCores(): Cores | undefined {
  const [servers, ...others] = allowedCores();
  const load = others.at(-1);
  if (servers === undefined || load === undefined || !canPin(servers)) return undefined;
  return { servers, load };
}

/** Pins a process to a core, with all of its threads and those that they start. */
export function pin(pid: number, core: number | undefined): void {
  if (core === undefined) return;
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', String(core), String(pid)]);
}

/** Returns the cores that this process may run on (proc_pid_status(5)): `0-3,8` are five. */
function allowedCores(): number[] {
  const status = readFileSync('/proc/self/status', 'utf8');
  const list = /^Cpus_allowed_list:\s*(\S+)$/m.exec(status)?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, offset) => first + offset);
  });
}

function canPin(core: number): boolean {
  try {
    execFileSync('taskset', ['--cpu-list', String(core), 'true']);
    return true;
  } catch {
    return false;
  }
}
