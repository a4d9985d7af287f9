import { execFile } from 'node:child_process';
import { access, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installed } from './installed.js';

const npm = (...args: string[]) => promisify(execFile)('npm', args, { cwd: join(folder, 'tool') });

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-on-demand-'));
  await mkdir(join(folder, 'tool/hammer'), { recursive: true });
  await write('hammer/package.json', { name: 'hammer', version: '1.0.0' });
});
afterEach(() => rm(folder, { recursive: true }));

const write = (file: string, content: unknown) => writeFile(join(folder, 'tool', file), JSON.stringify(content));

/** Writes a lock file that pins a package of this disk. */
async function pin(version: string): Promise<void> {
  await write('package.json', { version, dependencies: { hammer: 'file:hammer' } });
  await npm('install', '--package-lock-only', '--offline');
}

const install = () => installed('tool', pathToFileURL(`${folder}/`));

test('packages are installed once, and again after their lock file changed', async () => {
  await pin('1.0.0');
  const hammer = new URL('node_modules/hammer/package.json', await install());
  expect(await readFile(hammer, 'utf8')).toContain('"hammer"');

  const left = new URL('node_modules/left-by-the-first', await install());
  await writeFile(left, '');
  await install();
  await access(left);

  await pin('2.0.0');
  await install();
  await expect(access(left)).rejects.toThrow('ENOENT');
});

test('a name that no folder has is reported', async () => {
  await expect(installed('saw')).rejects.toThrow('there is no ');
});
