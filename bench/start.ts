import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { positiveNumber, scriptCommand } from '../testkit/command-line.js';
import { table } from '../testkit/markdown-table.js';
import { median } from '../testkit/numbers.js';
import { residentMemory } from '../testkit/service/measured-service.js';
import { machine, publish, withFolder } from './scenarios.js';

const IDLE_MS = 3000;

/** The commands of a first trial and of a supervisor. */
const COMMANDS = [
  ['npm', 'start', '--silent'],
  ['node', 'dist/server/main.js'],
];

/**
 * `npm run bench:start`: measures how long the service takes to become ready, and how much memory it uses after it
 * has been idle for a while. Linux only: memory is read from /proc.
 */
await scriptCommand('bench:start', 'Measure the start of the service with an existing store.')
  .option('--rounds <n>', 'the number of rounds', positiveNumber, 7)
  .action(measure)
  .parseAsync();

async function measure({ rounds }: { readonly rounds: number }): Promise<void> {
  const rows: string[][] = [];
  const memory: number[] = [];
  const row = (what: string, values: readonly number[], unit: string) => [
    what,
    ...[median(values), Math.max(...values)].map((value) => `${value.toFixed(0)} ${unit}`),
  ];
  await withFolder(async (folder) => {
    await start(['npm', 'start', '--silent'], folder); // Creates the store.
    for (const command of COMMANDS) {
      const starts: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const { milliseconds, mebibytes } = await start(command, folder);
        starts.push(milliseconds);
        memory.push(mebibytes);
      }
      rows.push(row(`\`${command.join(' ')}\` until ready, with an existing store`, starts, 'ms'));
    }
  });
  rows.push(row('memory when idle (RSS)', memory, 'MiB'));
  const figures = table(['', 'median', 'worst'], rows);
  await publish(`${machine()}; ${rounds} rounds each\n\n${figures}\n`);
}

async function start([command = '', ...options]: readonly string[], folder: string) {
  const begin = performance.now();
  const env = { PORT: '0', DATABASE_URL: `file:${join(folder, 'roster.db')}`, DRAIN_SECONDS: '0' };
  const child = spawn(command, options, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await untilListening(child.stdout);
  const milliseconds = performance.now() - begin;
  await delay(IDLE_MS);
  const mebibytes = residentMemory(pid);
  process.kill(pid, 'SIGTERM');
  await once(child, 'exit');
  return { milliseconds, mebibytes };
}

/** Waits for the log line of the listening service, which also has the id of the process. */
function untilListening(log: NodeJS.ReadableStream): Promise<number> {
  return new Promise((resolve, reject) => {
    createInterface(log)
      .on('line', (line) => {
        const [, pid] = /"pid":(\d+)(?=.*"msg":"listening")/.exec(line) ?? [];
        if (pid !== undefined) resolve(Number(pid));
      })
      .once('close', () => reject(new Error('The service ended before it listened')));
  });
}
