import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createRosterClient } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { killChildren } from '../../../testkit/service/child-process.js';
import { untilLogged } from '../../../testkit/service/price-model.js';
import { type ServerProcess, startServer } from '../../../testkit/service/server-process.js';
import { settled } from '../../../testkit/service/train-prices.js';
import { DatabaseSync } from '../../store/database/sqlite-connection.js';

const path = { projectName: 'default', modelName: 'm' };
const MODEL = '/api/projects/default/models/m';

let folder: string;
let databaseFile: string;
let server: ServerProcess;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roster-tables-'));
  databaseFile = join(folder, 'roster.db');
  server = await startServer({ databaseFile });
});
afterAll(async () => {
  await server.kill();
  rmSync(folder, { recursive: true });
});

/** Yields rows of ten columns: distinct and repeated numbers, dates and words. */
function* lines(count: number): Generator<string> {
  yield 'a,b,c,d,e,f,g,day,word,y\n';
  for (let start = 0; start < count; start += 1000) {
    let some = '';
    for (let row = start; row < Math.min(start + 1000, count); row++) {
      const day = new Date(60_000 * row).toISOString();
      some += `${row / 7},${Math.sin(row)},${row * row},${row % 7},${row % 97},${Math.cos(row)},${1 / (1 + row)},${day},word ${row % 300},${row % 1000}\n`;
    }
    yield some;
  }
}

function train(rows: number): Promise<Response> {
  const source = lines(rows);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const { done, value } = source.next();
      if (done) controller.close();
      else controller.enqueue(new TextEncoder().encode(value));
    },
  });
  return fetch(`${server.url}${MODEL}?target=y`, {
    method: 'PUT',
    duplex: 'half',
    headers: { 'Content-Type': 'text/csv' },
    body,
  });
}

async function shown(): Promise<Record<string, unknown>> {
  const model: unknown = await (await fetch(server.url + MODEL)).json();
  return { ...Object(model) };
}

const untilTrained = () => settled(createRosterClient({ baseUrl: server.url }), path);

function countParts(): unknown {
  const database = new DatabaseSync(databaseFile, { readOnly: true });
  const { parts } = database.prepare('select count(*) as parts from training_table_parts').get();
  database.close();
  return parts;
}

/** Deletes the model, and waits until nothing of its tables is left. */
async function remove(): Promise<void> {
  await fetch(server.url + MODEL, { method: 'DELETE' });
  await untilNoParts();
}

async function untilNoParts(): Promise<void> {
  while (countParts() !== 0) await pause(20);
}

// Only Linux reports the peak memory of another process.
describe.skipIf(process.platform !== 'linux')('the memory of the service', () => {
  const peak = () => {
    const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
  };

  test('stays small for a table of 120,000 rows, up to the start of its training', async () => {
    const response = await train(120_000);
    expect(response.status).toBe(202);
    // The text alone has 16 MB, and its distinct values would take ten times as much.
    expect(peak()).toBeLessThan(220);
    await untilLogged(server, '"msg":"training"');
    while ((await shown())['progress'] === 0) await pause(50);
    expect(peak()).toBeLessThan(240);
    await remove();
  });
});

// Only Linux lists the children of another process.
describe.skipIf(process.platform !== 'linux')('the process that trains', () => {
  test('may be killed: the service and the training continue', async () => {
    const wasCut = () => server.log.some((line) => line.includes('training cut short'));
    // Where this looks too late, the training is over, and another one begins.
    while (!wasCut()) {
      await remove();
      expect((await train(1500)).status).toBe(202);
      while ((await shown())['progress'] === 0) await pause(10);
      killChildren(server.pid);
      await untilTrained();
      expect(await shown()).toMatchObject({ status: 'ready' });
    }
    await remove();
  });
});

describe('the parts of a table', () => {
  test('are deleted when its training has ended, with any outcome', async () => {
    await train(100);
    await untilTrained();
    await untilNoParts();
    // It is removed while it trains, unless that ends before.
    await train(12_000);
    await untilLogged(server, '"version":2');
    await remove();
  });

  test('are deleted if its training can no longer begin', async () => {
    let statuses: number[] = [];
    // Where one table comes when the training with the other is over, both are trained with.
    while (statuses.every((status) => status === 202)) {
      const answers = await Promise.all([train(12_000), train(12_000)]);
      statuses = answers.map(({ status }) => status);
      await remove();
    }
    expect(statuses.sort()).toEqual([202, 409]);
  });

  test('are kept for a training that a crash interrupted', async () => {
    // Where the crash comes too late, the training is over, and another one begins.
    for (let isOver = true; isOver; ) {
      expect((await train(500)).status).toBe(202);
      await server.stop('SIGKILL');
      isOver = countParts() === 0;
      server = await startServer({ databaseFile });
    }
    await untilTrained();
    expect(await shown()).toMatchObject({ status: 'ready' });
    await untilNoParts();
  });
});

test('a model of a table with long texts shows its columns briefly', async () => {
  const text = (row: number) => (row % 2 ? 'short' : String(row % 4) + '\u0001'.repeat(20_000));
  const rows = Array.from({ length: 60 }, (_, row) => `${row % 7},${text(row)}\n`);
  const response = await fetch(`${server.url}${MODEL}?target=y`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: `y,t\n${rows.join('')}`,
  });
  expect(response.status).toBe(202);
  await untilTrained();
  const model = await shown();
  expect(model).toMatchObject({ status: 'ready', columns: [{ used: true, categories: ['short'] }] });
  expect(JSON.stringify(model).length).toBeLessThan(10_000);
});
