import { createRequire } from 'node:module';

/** The package that contains DuckDB, an optional peer dependency. */
const PACKAGE = '@duckdb/node-api';

/** The release of DuckDB whose parser and functions the guard of queries is written for. */
const RELEASE = '1.5.6';
const INSTALL = `npm install ${PACKAGE}@${RELEASE}-r.1`;

/** DuckDB is not installed, or is another release. The message is one line that says how to install it. */
export class DuckdbMissingError extends Error {
  override readonly name = 'DuckdbMissingError';
}

/**
 * Loads DuckDB: native code, with its own threads, so that a service loads it only in worker processes.
 *
 * @param from the address of the file beside which the package is installed
 * @throws {DuckdbMissingError} if the package is not installed, or is another release
 */
export function loadDuckdb(from: string = import.meta.url): typeof import('@duckdb/node-api') {
  requireDuckdb(from);
  try {
    return createRequire(from)(PACKAGE);
  } catch (cause) {
    const machine = `${process.platform}, ${process.arch}`;
    throw missing(`the package ${PACKAGE} cannot be loaded on this machine (${machine})`, cause);
  }
}

/**
 * Finds DuckDB without loading it.
 *
 * @param from the address of the file beside which the package is installed
 * @throws {DuckdbMissingError} if the package is not installed, or is another release
 */
export function requireDuckdb(from: string = import.meta.url): void {
  const found = readVersion(from);
  if (found === undefined) throw missing(`the package ${PACKAGE} is not installed`);
  // Its versions are those of DuckDB, and a number that counts releases of the package.
  const [release] = found.split('-');
  if (release !== RELEASE) throw missing(`the package ${PACKAGE} has version ${found}, not ${RELEASE}`);
}

function readVersion(from: string): string | undefined {
  try {
    const { version }: { version: string } = createRequire(from)(`${PACKAGE}/package.json`);
    return version;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function missing(reason: string, cause?: unknown): DuckdbMissingError {
  return new DuckdbMissingError(`DuckDB is needed, but ${reason}; install it (${INSTALL})`, { cause });
}
