import { once } from 'node:events';
import { mkdtemp, rm, symlink, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listProjects } from '../projects/projects.js';
import { DatabaseSync } from './database/sqlite-connection.js';
import { Store } from './index.js';

const STORE = new URL('../../dist/server/store/index.js', import.meta.url);
const FILES = 20;
const OPENERS = 3;

/**
 * Opens new files one after another, each at the same time as the other threads, and reports
 * failures.
 */
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

test('a new SQLite file may be opened by several threads at once', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'roster-at-once-'));
  const urls = Array.from({ length: FILES }, (_, index) => `file:${join(folder, `${index}.db`)}`);
  const workerData = { urls, arrived: new SharedArrayBuffer(4 * FILES) };
  const faults: unknown[] = [];
  const ends = Array.from({ length: OPENERS }, () => {
    const opener = new URL(`data:text/javascript,${encodeURIComponent(OPENER)}`);
    // Not with the conditions of vitest: it loads what was built.
    const worker = new Worker(opener, { workerData, execArgv: [] });
    worker.on('message', (fault) => faults.push(fault));
    return once(worker, 'exit');
  });
  await Promise.all(ends);
  expect(faults).toEqual([]);
  await rm(folder, { recursive: true });
});

describe('in one process, a SQLite file', () => {
  let folder: string;
  let url: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-at-once-'));
    url = `file:${join(folder, 'roster.db')}`;
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('that is new may be opened several times at once', async () => {
    const stores = await Promise.all([Store.open(url), Store.open(url), Store.open(url)]);
    for (const store of stores) {
      expect(await listProjects(store, { owner: 'local' }, {})).toMatchObject([{ name: 'default' }]);
      await store.close();
    }
  });

  test('may be opened under several names at once', async () => {
    await symlink(folder, `${folder}-link`);
    const other = url.replace(folder, `${folder}-link`);
    const stores = await Promise.all([Store.open(url), Store.open(other)]);
    await Promise.all(stores.map((store) => store.close()));
    await unlink(`${folder}-link`);
  });

  test('that is locked is waited for without blocking the event loop', async () => {
    await (await Store.open(url)).close();
    const lock = new DatabaseSync(url.replace('file:', ''));
    lock.exec('begin immediate');
    let isOpen = false;
    const opening = Store.open(url).then((store) => {
      isOpen = true;
      return store;
    });
    // The lock is released by the thread that waits for it.
    await delay(100);
    expect(isOpen).toBe(false);
    lock.exec('rollback');
    await (await opening).close();
    lock.close();
  });

  test('that is locked for too long is not opened, with one line that says so', async () => {
    await (await Store.open(url)).close();
    const lock = new DatabaseSync(url.replace('file:', ''));
    lock.exec('begin immediate');
    await expect(Store.open(url)).rejects.toThrow(
      /^the store .* cannot be opened: another program locks it; open it again when that is done$/,
    );
    lock.close();
  });
});
