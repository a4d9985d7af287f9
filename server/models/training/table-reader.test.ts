import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { TableError } from '../../../prediction/src/predicting.js';
import { Store } from '../../store/index.js';
import { TableReader } from './table-reader.js';
import { Tables } from './tables.js';

const script = new URL('../../../dist/server/models/training/table-worker.js', import.meta.url);

let store: Store;
beforeAll(async () => {
  store = await Store.open(':memory:', { onError: () => {} });
});
afterAll(() => store.close());

function tablesOf(reader: TableReader, lines: string[] = []) {
  const log = pino({}, { write: (line: string) => lines.push(line) });
  return new Tables(store, log, reader);
}

/** Yields rows of distinct texts of 1000 letters. */
async function* csv(rows: number): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x,k,y\n');
  const text = 'x'.repeat(1000);
  for (let row = 0; row < rows; row++) yield Buffer.from(`${row}${text},${row % 3},${row}\n`);
}

function source(text: AsyncIterable<Uint8Array>) {
  const { signal } = new AbortController();
  return { owner: 'o', format: 'csv', target: 'y', text, signal } as const;
}

describe('a table', () => {
  test('that takes too much memory is refused, and the next one is read', async () => {
    const reader = new TableReader({ script, maxHeapMiB: 24 });
    const lines: string[] = [];
    const tables = tablesOf(reader, lines);
    const refused = tables.keep(source(csv(60_000)));
    await expect(refused).rejects.toThrow(TableError);
    await expect(refused).rejects.toThrow('Send fewer rows');
    expect(lines.length).toBe(1);
    expect(lines[0]).toContain('heap out of memory');
    expect(await tables.keep(source(csv(60)))).toMatchObject({ rowCount: 60 });
    await tables.stop();
  });

  test('that is refused is answered before the end of its text', async () => {
    const tables = tablesOf(new TableReader({ script }));
    async function* text() {
      yield Buffer.from('x,x\n1,2\n'.padEnd(300_000, '1,2\n'));
      await new Promise(() => {});
    }
    await expect(tables.keep(source(text()))).rejects.toThrow('Two columns are named "x"');
    await tables.stop();
  });

  test('whose sender has gone is read no further, and leaves its slot to others', async () => {
    const tables = tablesOf(new TableReader({ script }));
    const gone = [1, 2, 3, 4].map(() => new AbortController());
    async function* text() {
      yield Buffer.from('x,y\n'.padEnd(300_000, '1,2\n'));
      for (const each of gone) each.abort(new Error('gone'));
      await new Promise(() => {});
    }
    for (const { signal } of gone) {
      await expect(tables.keep({ ...source(text()), signal })).rejects.toThrow('gone');
    }
    expect(await tables.keep(source(csv(60)))).toMatchObject({ rowCount: 60 });
    await tables.stop();
  });

  test('is written one part per turn of the event loop, so that other requests are served', async () => {
    const tables = tablesOf(new TableReader({ script }));
    let parts = 0;
    let mostInATurn = 0;
    let inThisTurn = 0;
    const { addPart } = store.tables;
    const counted = vi.spyOn(store.tables, 'addPart').mockImplementation((...part) => {
      parts++;
      if (inThisTurn++ === 0) {
        setImmediate(() => {
          mostInATurn = Math.max(mostInATurn, inThisTurn);
          inThisTurn = 0;
        });
      }
      return addPart.apply(store.tables, part);
    });
    await tables.keep(source(csv(10_000)));
    await pause(10);
    counted.mockRestore();
    expect(parts).toBeGreaterThan(20);
    expect(mostInATurn).toBe(1);
    await tables.stop();
  });
});
