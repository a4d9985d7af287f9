import { encodeTable, readCsvTable } from 'roster-prediction/reading';
import { decodeModel, train } from 'roster-prediction/training';
import { afterAll, expect, test } from 'vitest';
import { WorkerPool } from '../../work/worker-pool.js';
import type { TrainingJob, TrainingResult } from './trainings.js';

const workers = new WorkerPool<TrainingJob, TrainingResult, number>({
  script: new URL('../../../dist/server/models/training/training-worker.js', import.meta.url),
  maxHeapMiB: 512,
  maxMemoryBytes: 1024 * 1024 * 1024,
  maxSilenceMs: 60_000,
  isBackground: false,
  maxIdle: 1,
  idleTimeoutMs: 10_000,
});
afterAll(() => workers.close());

const rows = Array.from({ length: 80 }, (_, row) => ({ x: Math.sin(row), z: row % 5, y: Math.sin(row) + (row % 5) }));
const csv = `x,z,y\n${rows.map((row) => Object.values(row).join(',')).join('\n')}`;

async function* text() {
  yield Buffer.from(csv);
}
const table = () => readCsvTable(text(), 'y');

async function* parts() {
  yield* encodeTable(await table());
}

/** Trains as a process of the service does; returns the stored model and its summary. */
async function run(job: Pick<TrainingJob, 'effort' | 'maxTime'>) {
  const written: Uint8Array[] = [];
  const { summary } = await workers.run({
    details: { serving: null, ...job },
    input: parts(),
    onData: (bytes) => {
      written.push(bytes);
    },
    onEvent: () => {},
  });
  return { model: decodeModel(Buffer.from(written[0] ?? [])), summary };
}

const HOUR = 60 * 60_000;
/** Over when the first part of the training asks for it. */
const NO_TIME = 1e-9;

test('a training with the effort best that has no time ends with the best model so far, and says so', async () => {
  const { model, summary } = await run({ effort: 'best', maxTime: NO_TIME });
  expect(model).toEqual(train(await table(), { effort: 'best', timeSpent: () => 1 }));
  expect(summary).toContain('The training took all of the time that it may take');
});

test.each(['fast', 'standard', 'best'] as const)('a training with the effort %s has it in time', async (effort) => {
  const { model, summary } = await run({ effort, maxTime: effort === 'best' ? HOUR : NO_TIME });
  expect(model).toEqual(train(await table(), { effort }));
  expect(summary).not.toContain('The training took all of the time');
});
