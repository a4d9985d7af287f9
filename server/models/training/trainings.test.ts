import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { pino } from 'pino';
import { encodeTable, readCsvTable } from 'roster-prediction/reading';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { beginOwner, lockProjectRow } from '../../projects/projects.js';
import { sweepUntaken } from '../../store/forget-rows.js';
import { Store } from '../../store/index.js';
import { findModel } from '../model-rows.js';
import { beginTraining, countWaitingTrainings } from './begin-training.js';
import { addTablePart, createTable, discardTable, TABLES } from './table-rows.js';
import { type TrainingOptions, type TrainingOutcome, Trainings } from './trainings.js';

const script = new URL('../../../dist/server/models/training/training-worker.js', import.meta.url);

let store: Store;
let trainings: Trainings;
let outcomes: TrainingOutcome[];
beforeEach(async () => {
  store = await Store.open(':memory:', { onError: () => {} });
  outcomes = [];
});
afterEach(async () => {
  await trainings.stop();
  await store.close();
});

function start(options: Partial<TrainingOptions> = {}): void {
  const log = pino({ enabled: false });
  const note = (outcome: TrainingOutcome) => outcomes.push(outcome);
  trainings = new Trainings(store, log, note, { maxTime: 60_000, workers: { script }, ...options });
  trainings.start();
}

test('a training begins while a large table is still being removed', async () => {
  const discarded = await storeParts(2000);
  await discardTable(store, discarded);
  await begin('local', 'm', await storeParts(1));
  start();
  while ((await countWaitingTrainings(store)) > 0) await nextTurn();
  expect(await sweepUntaken(store, TABLES)).toBe(true);
});

/** Serves jobs that never end in the first process, and trainings in the others. */
function makeFirstEndless(folder: string): URL {
  const work = new URL('../../../dist/server/work/serve-jobs.js', import.meta.url);
  const file = join(folder, 'first-endless.mjs');
  writeFileSync(
    file,
    `
    import { mkdirSync } from 'node:fs';
    import { serveJobs } from '${work.href}';
    let isFirst = true;
    try {
      mkdirSync(${JSON.stringify(join(folder, 'begun'))});
    } catch {
      isFirst = false;
    }
    if (isFirst) await serveJobs(() => new Promise(() => {}));
    else await import('${script.href}');
    `,
  );
  return pathToFileURL(file);
}

test('a training that takes long does not keep another owner waiting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roster-trainings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const long = await begin('ann', 'long', await storeTable(60));
  start({ patience: 0, workers: { script: makeFirstEndless(folder) } });
  const short = await begin('bob', 'short', await storeTable(60));
  await expect.poll(() => outcomes).toEqual(['ready']);
  expect(await statusOf(short)).toBe('ready');
  expect(await statusOf(long)).toBe('training');
});

test('a training that takes longer than one may fails, and says so', async () => {
  const long = await begin('ann', 'long', await storeTable(1000));
  start({ maxTime: 1 });
  await expect.poll(() => outcomes).toEqual(['failed']);
  expect(await findModel(store, long.projectId, 'long')).toMatchObject({
    failure: expect.stringContaining('took longer than'),
  });
});

test('a training whose process does nothing for too long fails at once, and says so', async () => {
  const silent = await begin('ann', 'silent', await storeTable(60));
  start({ workers: { script, maxSilenceMs: 1 } });
  await expect.poll(() => outcomes).toEqual(['failed']);
  expect(await findModel(store, silent.projectId, 'silent')).toMatchObject({
    failure: expect.stringContaining('made no progress for'),
  });
});

type Begun = Readonly<Record<'projectId' | 'name', string>>;

async function begin(owner: string, name: string, tableId: string): Promise<Begun> {
  return store.transaction(async (tx) => {
    await beginOwner(tx, owner);
    const project = await lockProjectRow(tx, owner, 'default');
    if (!project) throw new Error('An owner has a project');
    const table = { target: 'y', task: 'regression', rowCount: 1, tableId } as const;
    await beginTraining(tx, project.id, name, table);
    return { projectId: project.id, name };
  });
}

async function statusOf({ projectId, name }: Begun): Promise<string | undefined> {
  return (await findModel(store, projectId, name))?.status;
}

/** Writes a table of so many rows; returns its id. */
async function storeTable(rows: number): Promise<string> {
  const lines = Array.from({ length: rows }, (_, row) =>
    [...Array(9).keys()].map((column) => Math.sin(row * (column + 1))).join(','),
  );
  async function* text() {
    yield Buffer.from(`a,b,c,d,e,f,g,h,y\n${lines.join('\n')}`);
  }
  const tableId = await createTable(store, 'local');
  let position = 0;
  for (const part of encodeTable(await readCsvTable(text(), 'y'))) {
    await addTablePart(store, tableId, position++, part);
  }
  return tableId;
}

/** Writes so many parts that are not a table; returns the id of their table. */
async function storeParts(parts: number): Promise<string> {
  const tableId = await createTable(store, 'local');
  for (let position = 0; position < parts; position++) {
    await addTablePart(store, tableId, position, new Uint8Array(1));
  }
  return tableId;
}
