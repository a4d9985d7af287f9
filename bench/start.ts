import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { machine } from '../harness/machine.js';
import { median } from '../harness/numbers.js';
import { residentMemory } from '../harness/service.js';

/**
 * Measures how long `npm start` takes until the service is ready, with a store that exists, and how
 * much memory the service holds when it has been idle for a while. Linux only: memory is read from /proc.
 */
const ROUNDS = 7;
const IDLE_MS = 3000;

const folder = mkdtempSync(join(tmpdir(), 'roster-bench-'));
const starts: number[] = [];
const memory: number[] = [];
try {
  await start(); // Makes the store.
  for (let round = 0; round < ROUNDS; round++) {
    const { milliseconds, mebibytes } = await start();
    starts.push(milliseconds);
    memory.push(mebibytes);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.stdout.write(`${machine()}; ${ROUNDS} rounds

| | median | worst |
|---|---|---|
| \`npm start\` until ready, with an existing store | ${median(starts).toFixed(0)} ms | ${Math.max(...starts).toFixed(0)} ms |
| memory when idle (RSS) | ${median(memory).toFixed(0)} MB | ${Math.max(...memory).toFixed(0)} MB |
`);

async function start(): Promise<{ milliseconds: number; mebibytes: number }> {
  const begin = performance.now();
  const npm = spawn('npm', ['start', '--silent'], {
    env: { ...process.env, PORT: '0', DATABASE_URL: `file:${join(folder, 'roster.db')}` },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = await untilListening(npm.stdout);
  const milliseconds = performance.now() - begin;
  await delay(IDLE_MS);
  const mebibytes = residentMemory(pid);
  process.kill(pid, 'SIGTERM');
  await once(npm, 'exit');
  return { milliseconds, mebibytes };
}

/** Waits for the log's line that says so, which also has the id of the process. */
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
