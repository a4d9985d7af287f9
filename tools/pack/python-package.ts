import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';

/** Builds without a network: what the build needs is there. The builds change the arguments of the process. */
const BUILD = `
import sys
from setuptools import build_meta
folder = sys.argv[1]
print(build_meta.build_wheel(folder))
print(build_meta.build_sdist(folder))
`;

/**
 * Builds the wheel and the source distribution of the Python client (PEP 517).
 * @param python the path of a Python with setuptools and wheel
 * @param folder takes the files
 * @returns their paths, the wheel first
 * @throws if the build fails
 */
export function buildPythonPackage(python: string, folder: string): string[] {
  // setuptools writes beside the sources.
  const copy = mkdtempSync(join(tmpdir(), 'roster-python-'));
  try {
    cpSync(fileURLToPath(new URL('python', root)), copy, {
      recursive: true,
      filter: (file) => !/__pycache__|\.egg-info|\.mypy_cache/.test(file),
    });
    const output = execFileSync(python, ['-c', BUILD, folder], {
      cwd: copy,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const names = output
      .trim()
      .split('\n')
      .filter((line) => /\.(whl|tar\.gz)$/.test(line));
    return names.slice(-2).map((name) => join(folder, name));
  } finally {
    rmSync(copy, { recursive: true });
  }
}
