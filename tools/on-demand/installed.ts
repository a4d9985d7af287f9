import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';

const FOLDERS = new URL('tools/on-demand/', root);

/** The lock file as it was when the packages were installed: written last, so that half an installation is none. */
const INSTALLED = 'node_modules/.installed.json';

/**
 * Installs the packages that the `package-lock.json` of a folder in `tools/on-demand/` pins, unless they are there.
 * @returns the folder that has them
 * @throws if there is no such folder, or if npm cannot install them
 */
export async function installed(name: string, folders = FOLDERS): Promise<URL> {
  const folder = new URL(`${name}/`, folders);
  const lock = new URL('package-lock.json', folder);
  const pinned = await readFile(lock, 'utf8').catch((cause) => {
    throw new Error(`there is no ${fileURLToPath(lock)}`, { cause });
  });
  if (pinned === (await readFile(new URL(INSTALLED, folder), 'utf8').catch(() => undefined))) {
    return folder;
  }
  process.stderr.write(`Installing tools/on-demand/${name}, once\n`);
  await install(fileURLToPath(folder));
  await writeFile(new URL(INSTALLED, folder), pinned);
  return folder;
}

/** Loads packages of `tools/on-demand/NAME`: they are not where Node looks from `dist/`. */
export function requireFrom(name: string): NodeJS.Require {
  return createRequire(new URL(`${name}/package.json`, FOLDERS));
}

async function install(folder: string): Promise<void> {
  const args = ['ci', '--prefix', folder, '--no-audit', '--no-fund', '--loglevel', 'error'];
  // Within `npm run` it is known which npm that was, if it was npm; on Windows, npm alone is not a program.
  const { npm_execpath: npm = '' } = process.env;
  const [command, ...first] = npm.endsWith('npm-cli.js') ? [process.execPath, npm] : ['npm'];
  // Standard output belongs to the command that runs next.
  const child = spawn(command, [...first, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code]: unknown[] = await once(child, 'exit');
  if (code !== 0) throw new Error(`npm could not install ${folder}`);
}
