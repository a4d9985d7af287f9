import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Finds a program of this machine.
 * @param variable the variable that may name it
 * @param names its names in the folders of `PATH`
 * @param elsewhere paths that it may have otherwise
 * @throws if what the variable names is not executable, so that a typo does not skip tests
 */
export function findProgram(
  variable: string,
  names: readonly string[],
  elsewhere: readonly string[],
): string | undefined {
  const named = process.env[variable];
  if (named) {
    if (!isProgram(named)) throw new Error(`${variable} ${named} cannot be run`);
    return named;
  }
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const usual = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  return [...usual, ...elsewhere].find(isProgram);
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
