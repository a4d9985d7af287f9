/**
 * Runs a command that needs packages which `npm ci` leaves out, and installs them first if they are not there:
 * `node dist/tools/on-demand/main.js NAME[,NAME …] COMMAND [ARGUMENT …]`. A version in their place is another
 * Node.js, which comes from npm: `npm run node -- 24 npm test`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';
import { installed } from './installed.js';

/** Such as `24`, `20.19` or `22.23.1`: the newest that begins so. */
const VERSION = /^\d+(\.\d+){0,2}$/;

const [names, ...command] = process.argv.slice(2);
try {
  if (!names || command.length === 0) {
    throw new Error('usage: NAME[,NAME …] | VERSION COMMAND [ARGUMENT …]');
  }
  process.exitCode = VERSION.test(names)
    ? await run(
        [...npmExec(names), ...command],
        // The headers that a machine may name here are those of its own Node.
        { npm_config_nodedir: '' },
      )
    : await run(command, { PATH: await pathWith(names.split(',')) });
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function npmExec(version: string): string[] {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return ['npm', 'exec', '--yes', `--package=node-${platform}-${process.arch}@${version}`, '--'];
}

async function pathWith(packages: readonly string[]): Promise<string> {
  const bins: string[] = [];
  for (const name of packages) {
    bins.push(fileURLToPath(new URL('node_modules/.bin', await installed(name))));
  }
  return [...bins, process.env.PATH ?? ''].join(delimiter);
}

/** @returns the exit code of the command */
async function run([program = '', ...args]: readonly string[], env: object): Promise<number> {
  const child = spawn(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    // There, npm and the commands of packages are scripts of the shell.
    shell: process.platform === 'win32',
  });
  // Ctrl-C reaches both: the command decides when it ends.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill());
  await once(child, 'exit');
  return child.signalCode ? 128 + constants.signals[child.signalCode] : (child.exitCode ?? 1);
}
