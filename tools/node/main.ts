/** Runs a command on another version of Node.js, which comes from npm: `npm run node -- 24 npm test`. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';

const USAGE = 'npm run node -- VERSION COMMAND, such as: npm run node -- 24 npm test';

const [version = '', ...command] = process.argv.slice(2);
if (/^\d+(\.\d+){0,2}$/.test(version) && command.length > 0) {
  process.exitCode = await runOn(version, command);
} else {
  process.stderr.write(`${USAGE}\n`);
  process.exitCode = 1;
}

/**
 * @param version such as `24`, `20.19` or `22.23.1`: the newest that begins so
 * @returns the exit code of the command
 */
async function runOn(version: string, command: readonly string[]): Promise<number> {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  const args = [
    'exec',
    '--yes',
    `--package=node-${platform}-${process.arch}@${version}`,
    '--',
    ...command,
  ];
  const child = spawn('npm', args, {
    stdio: 'inherit',
    // On Windows, npm is a script of the shell.
    shell: process.platform === 'win32',
    // The headers that a machine may name here are those of its own Node.
    env: { ...process.env, npm_config_nodedir: '' },
  });
  await once(child, 'exit');
  return child.signalCode ? 128 + constants.signals[child.signalCode] : (child.exitCode ?? 1);
}
