import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { root } from '../../testkit/root.js';
import { installed } from './installed.js';

/**
 * Runs a command that needs packages which `npm ci` leaves out, and installs them first if they are not there.
 * usage: node dist/tools/on-demand/main.js NAME[,NAME …] COMMAND [ARGUMENT …]
 */
const [names, command, ...args] = process.argv.slice(2);
try {
  if (!names || !command) throw new Error('usage: NAME[,NAME …] COMMAND [ARGUMENT …]');
  const bins: string[] = [];
  for (const name of names.split(',')) {
    bins.push(fileURLToPath(new URL('node_modules/.bin', await installed(name))));
  }
  const child = spawn(command, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, PATH: [...bins, process.env.PATH ?? ''].join(delimiter) },
    // There, the commands of packages are scripts of the shell.
    shell: process.platform === 'win32',
  });
  // Ctrl-C reaches both: the command decides when it ends.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill());
  const [code]: unknown[] = await once(child, 'exit');
  process.exitCode = typeof code === 'number' ? code : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}
