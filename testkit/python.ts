import { spawnSync } from 'node:child_process';
import { findProgram } from './programs.js';

/** The reason why the Python client is left out, and the remedy. */
export const NO_PYTHON =
  'there is no Python with httpx, pandas, mypy, setuptools and ensurepip; `npm run python` installs one';

/** The modules that the Python client, its tests and its package need. */
const MODULES = 'ensurepip, httpx, mypy, pandas, setuptools, wheel';

/**
 * Returns the path of Python 3.9 or later that has modules: the one in `PYTHON_BIN`, that of the system, or the one in
 * `PATH`.
 * @param modules their names with commas between them; what the tests of the client need by default
 * @throws if `PYTHON_BIN` is not executable
 */
export function pythonOfThisMachine(modules = MODULES): string | undefined {
  const named = process.env['PYTHON_BIN'];
  const candidates = [named ? undefined : '/usr/bin/python3', findProgram('PYTHON_BIN', ['python3'], [])];
  return candidates.find((file) => file !== undefined && spawnSync(file, ['-c', `import ${modules}`]).status === 0);
}
