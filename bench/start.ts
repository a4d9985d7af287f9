import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { NODE_FLAGS } from '../server/commands/start.js';
import { positiveNumber, scriptCommand } from '../testkit/command-line.js';
import { median } from '../testkit/numbers.js';
import { residentMemory } from '../testkit/service/measured-service.js';
import { machine, table } from './report.js';

const IDLE_MS = 3000;

/** The commands of a first trial and of a supervisor. */
const COMMANDS = {
  'npm start': ['npm', 'start', '--silent'],
  'node dist/server/main.js': ['node', ...NODE_FLAGS, 'dist/server/main.js'],
};

/**
 * `npm run bench:start`: measures how long the service takes to become ready, and how much memory it uses after it
 * has been idle for a while. Linux only: memory is read from /proc.
 */
await scriptCommand('bench:start', 'Measure the start of the service with an existing store.')
  .option('--rounds <n>', 'the number of rounds', positiveNumber, 7)
  .action(measure)
  .parseAsync();

async function measure({ rounds }: { readonly rounds: number }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
  const rows: string[][] = [];
  const memory: number[] = [];
  try {
    await start('npm start', folder); // Creates the store.
    for (const name of ['npm start', 'node dist/server/main.js'] as const) {
      const starts: number[] = [];
      for (let round = 0; round < rounds; round++) {
        const { milliseconds, mebibytes } = await start(name, folder);
        starts.push(milliseconds);
        memory.push(mebibytes);
      }
      rows.push(row(`\`${name}\` until ready, with an existing store`, starts, 'ms'));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
  rows.push(row('memory when idle (RSS)', memory, 'MiB'));
  process.stdout.write(
    `${machine()}; ${rounds} rounds each\n\n${table(['', 'median', 'worst'], rows)}\n`,
  );
}

function row(what: string, values: readonly number[], unit: string): string[] {
  return [
    what,
    `${median(values).toFixed(0)} ${unit}`,
    `${Math.max(...values).toFixed(0)} ${unit}`,
  ];
}

async function start(
  name: keyof typeof COMMANDS,
  folder: string,
): Promise<{ milliseconds: number; mebibytes: number }> {
  const [command = '', ...options] = COMMANDS[name];
  const begin = performance.now();
  const child = spawn(command, options, {
    env: {
      ...process.env,
      ...{ PORT: '0', DATABASE_URL: `file:${join(folder, 'roster.db')}`, DRAIN_SECONDS: '0' },
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await untilListening(child.stdout);
  const milliseconds = performance.now() - begin;
  await delay(IDLE_MS);
  const mebibytes = residentMemory(pid);
  process.kill(pid, 'SIGTERM');
  await once(child, 'exit');
  return { milliseconds, mebibytes };
}

/** Waits for the log line of the listening service, which also has the id of the process. */
async function untilListening(log: NodeJS.ReadableStream): Promise<number> {
  for await (const chunk of log) {
    const line = String(chunk)
      .split('\n')
      .find((text) => text.includes('"msg":"listening"'));
    const pid = /"pid":(\d+)/.exec(line ?? '')?.[1];
    if (pid !== undefined) {
      log.resume();
      return Number(pid);
    }
  }
  throw new Error('The service ended before it listened');
}
