import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { problem } from '../../problems/problem.js';
import { Store } from '../../store/index.js';
import type { PoolOptions } from '../../work/worker-pool.js';
import { Tables } from './tables.js';

const script = new URL('../../../dist/server/models/training/table-worker.js', import.meta.url);

let store: Store;
beforeAll(async () => {
  store = await Store.open(':memory:', { onError: () => {} });
});
afterAll(() => store.close());

function openTables(readers: Partial<PoolOptions> = {}, lines: string[] = []) {
  const log = pino({}, { write: (line: string) => lines.push(line) });
  return new Tables(store, log, { script, ...readers });
}

/** Yields rows of distinct texts of 1000 letters. */
async function* csv(rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x,k,y\n');
  const text = 'x'.repeat(1000);
  for (let row = 0; row < rows; row++) yield Buffer.from(`${row}${text},${row % 3},${row}\n`);
}

function source(text: AsyncIterable<Uint8Array>) {
  const { signal } = new AbortController();
  const tooSlow = () => problem('/problems/request-timeout', 'too slow');
  return { owner: 'o', format: 'csv', target: 'y', text, tooSlow, signal } as const;
}

describe('a table', () => {
  test('that takes too much memory is refused, and the next one is read', async () => {
    const lines: string[] = [];
    const tables = openTables({ maxHeapMiB: 24 }, lines);
    const refused = tables.ingest(source(csv(60_000)));
    await expect(refused).rejects.toMatchObject({
      type: '/problems/unusable-table',
      members: { errors: [{ message: expect.stringContaining('Send fewer rows') }] },
    });
    expect(lines.length).toBe(1);
    expect(lines[0]).toContain('heap out of memory');
    expect(await tables.ingest(source(csv(60)))).toMatchObject({ rowCount: 60 });
    await tables.stop();
  });

  test('that is refused is answered before the end of its text', async () => {
    const tables = openTables();
    async function* text() {
      yield Buffer.from('x,x\n1,2\n'.padEnd(300_000, '1,2\n'));
      await new Promise(() => {});
    }
    await expect(tables.ingest(source(text()))).rejects.toMatchObject({
      members: { errors: [{ column: 'x' }, { column: 'y' }] },
    });
    await tables.stop();
  });

  test('whose sender has gone is read no further, and leaves its slot to others', async () => {
    const tables = openTables();
    const gone = [1, 2, 3, 4].map(() => new AbortController());
    async function* text() {
      yield Buffer.from('x,y\n'.padEnd(300_000, '1,2\n'));
      for (const each of gone) each.abort(new Error('gone'));
      await new Promise(() => {});
    }
    for (const { signal } of gone) {
      await expect(tables.ingest({ ...source(text()), signal })).rejects.toThrow('gone');
    }
    expect(await tables.ingest(source(csv(60)))).toMatchObject({ rowCount: 60 });
    await tables.stop();
  });

  test('is written one part per turn of the event loop, so that other requests are served', async () => {
    const tables = openTables();
    let parts = 0;
    let mostInATurn = 0;
    let inThisTurn = 0;
    const { transaction } = store.work;
    const counted = vi.spyOn(store.work, 'transaction').mockImplementation(() => {
      parts++;
      if (inThisTurn++ === 0) {
        setImmediate(() => {
          mostInATurn = Math.max(mostInATurn, inThisTurn);
          inThisTurn = 0;
        });
      }
      return transaction.apply(store.work);
    });
    await tables.ingest(source(csv(10_000)));
    await pause(10);
    counted.mockRestore();
    expect(parts).toBeGreaterThan(20);
    expect(mostInATurn).toBe(1);
    await tables.stop();
  });
});
