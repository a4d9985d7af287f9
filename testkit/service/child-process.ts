import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

/** A program that runs beside the tests. */
export interface Child {
  pid: number;
  /** The lines of its output, on either stream. */
  log: string[];
  /**
   * Sends a signal and waits until the process has ended and its output is in `log`. Returns its exit code; null if
   * the signal ended it.
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts a program, and waits for the line that says that it is ready.
 *
 * @param ready returns the address from that line, and undefined for any other line
 * @param cwd the folder that it runs in
 * @throws with the whole output, if the program ends before that line
 */
export async function startChild(
  command: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  ready: (line: string) => string | undefined,
  cwd?: string,
): Promise<Child & { url: string }> {
  const process = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise((resolve) => process.once('close', resolve));
  const log: string[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    const read = (line: string) => {
      log.push(line);
      const found = ready(line);
      if (found !== undefined) {
        resolve(found);
      }
    };
    createInterface(process.stdout).on('line', read);
    createInterface(process.stderr).on('line', read);
    process.once('error', reject);
    process.once('close', (code) => reject(new Error(`${command} ${args[0]} ended with ${code}:\n${log.join('\n')}`)));
  });
  return { url, pid: readPid(process), log, stop: (signal = 'SIGTERM') => stop(process, closed, signal) };
}

/** Returns the address in the log of the service, or in a line of it, once it says that it listens. */
export function findListeningUrl(log: string): string | undefined {
  return /"url":"([^"]+)".*"msg":"listening"/.exec(log)?.[1];
}

export function readPid({ pid }: ChildProcess): number {
  if (pid === undefined) {
    throw new Error('The process was not started');
  }
  return pid;
}

async function stop(process: ChildProcess, closed: Promise<unknown>, signal: NodeJS.Signals): Promise<number | null> {
  process.kill(signal);
  await closed;
  return process.exitCode;
}

/**
 * Kills the processes that a process has started, whichever of its threads did. Linux only: they are listed in /proc
 * by thread.
 */
export function killChildren(pid: number): void {
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    for (const child of readChildren(`/proc/${pid}/task/${thread}`)) {
      try {
        process.kill(child, 'SIGKILL');
      } catch {
        // It has ended since the list was read.
      }
    }
  }
}

function readChildren(thread: string): number[] {
  try {
    return readFileSync(`${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    // The thread has ended since the threads were listed.
    return [];
  }
}
