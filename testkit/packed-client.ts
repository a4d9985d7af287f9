import { execFile } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { root } from './root.js';

const run = promisify(execFile);

/** The strictest compiler options that a user of the packed client may have. */
export const STRICT_OPTIONS = {
  target: 'es2023',
  lib: ['es2023', 'dom', 'dom.iterable'],
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
};

/** Packs the client as npm does, and puts it into a folder `node_modules` as a package manager would. */
export async function installPackedClient(nodeModules: string): Promise<void> {
  const place = join(nodeModules, 'roster-client');
  await mkdir(place, { recursive: true });
  const cwd = fileURLToPath(root);
  await run('npm', ['pack', '--workspace', 'client', '--pack-destination', place], { cwd });
  const packed = (await readdir(place)).find((name) => name.endsWith('.tgz'));
  await run('tar', ['-xzf', join(place, `${packed}`), '-C', place, '--strip-components', '1']);
}
