import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** Returns the beginning of the name of a temporary file or folder: a prefix, and the process that removes it. */
export function ownName(prefix: string): string {
  return `${prefix}${hostname()}.${process.pid}`;
}

/**
 * Removes the temporary files and folders that killed processes of this machine and user have left in a folder. Those
 * with the number of this process are removed, too: in a container, the process before a restart had the same number.
 * So call it before this process creates any. Those that cannot be removed stay.
 * @param prefix that of `ownName`
 * @param rest the names after the number of the process
 */
export async function removeLeftovers(folder: string, prefix: string, rest: RegExp): Promise<void> {
  const beginning = `${prefix}${hostname()}.`;
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(beginning)) continue;
    const [pid, end] = splitNumber(name.slice(beginning.length));
    if (!rest.test(end) || !isLeft(pid)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    // Another user could make us remove a folder by its name alone; a link is removed, and not followed.
    if (!found || (process.getuid && found.uid !== process.getuid())) continue;
    await rm(path, { recursive: true, force: true }).catch(() => {});
  }
}

/** Splits a text after the digits at its beginning; the number is NaN if there are none. */
function splitNumber(text: string): [number, string] {
  const [digits = ''] = /^\d*/.exec(text) ?? [];
  return [digits === '' ? Number.NaN : Number(digits), text.slice(digits.length)];
}

function isLeft(pid: number): boolean {
  return pid === process.pid || (pid > 0 && !isRunning(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
