import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

const STORE = new URL('../../dist/server/store/index.js', import.meta.url);
const FILES = 20;
const OPENERS = 3;

/** Opens one new file after the other, each when the others are about to, and tells what went wrong. */
const OPENER = `
  import { parentPort, workerData } from 'node:worker_threads';
  import { Store } from '${STORE}';

  const arrived = new Int32Array(workerData.arrived);
  for (const [index, url] of workerData.urls.entries()) {
    Atomics.add(arrived, index, 1);
    Atomics.notify(arrived, index);
    for (let here = 0; here < ${OPENERS}; here = Atomics.load(arrived, index)) {
      Atomics.wait(arrived, index, here);
    }
    try {
      const store = await Store.open(url);
      await store.close();
    } catch (error) {
      parentPort.postMessage(String(error));
    }
  }
`;

test('a new SQLite file may be opened by several at the same moment', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-at-once-'));
  const urls = Array.from({ length: FILES }, (_, index) => `file:${join(folder, `${index}.db`)}`);
  const workerData = { urls, arrived: new SharedArrayBuffer(4 * FILES) };
  const faults: unknown[] = [];
  const ends = Array.from({ length: OPENERS }, () => {
    const opener = new URL(`data:text/javascript,${encodeURIComponent(OPENER)}`);
    const worker = new Worker(opener, { workerData });
    worker.on('message', (fault) => faults.push(fault));
    return once(worker, 'exit');
  });
  await Promise.all(ends);
  expect(faults).toEqual([]);
  await rm(folder, { recursive: true });
});
