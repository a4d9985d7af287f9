import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { readRows, rentRows } from '../../prediction/src/fixtures.js';
import { encodeModel, train } from '../../prediction/src/training.js';
import { type PredictionJob, PredictionPool } from './prediction-pool.js';
import type { RunningJob } from './running-job.js';
import { PredictionThread, ThreadEndedError } from './thread.js';

const script = new URL('../../dist/server/predictions/prediction-thread.js', import.meta.url);

const artifact = encodeModel(train(readRows(rentRows(200), 'rent')));

const pools: PredictionPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()));
});

function poolOf(threads: number, maxHeap = 256): PredictionPool {
  const artifactOf = async () => Buffer.from(artifact);
  const pool = new PredictionPool(
    threads,
    true,
    (onEnd) => new PredictionThread(artifactOf, () => onEnd(), { script, maxHeap }),
  );
  pools.push(pool);
  return pool;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function jobOf(body: AsyncIterable<Uint8Array>, more: Partial<PredictionJob> = {}): PredictionJob {
  return {
    caller: { owner: 'a', key: { id: '1', name: 'k' } },
    versionId: 'version',
    options: { from: 'json', to: 'json' },
    body,
    isWhole: true,
    closed: new AbortController().signal,
    ...more,
  };
}

async function textOf(job: RunningJob): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const event of job) if (event.kind === 'bytes') parts.push(event.bytes);
  return Buffer.concat(parts).toString();
}

const rows = JSON.stringify(rentRows(5));
const answersIn = (text: string) => JSON.parse(text).length;

describe('a pool of threads', () => {
  test('answers more bodies than it has threads', async () => {
    const pool = poolOf(2);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => textOf(pool.run(jobOf(once(rows))))),
    );
    expect(answers.map(answersIn)).toEqual(answers.map(() => 5));
  });

  test('answers the same rows with the same bytes, whichever else it answers meanwhile', async () => {
    const pool = poolOf(1);
    const many = () => once(JSON.stringify(rentRows(3000)));
    const alone = await textOf(pool.run(jobOf(many())));
    const streams = Array.from({ length: 4 }, () =>
      textOf(pool.run(jobOf(many(), { isWhole: false }))),
    );
    for (const text of await Promise.all(streams)) expect(text === alone).toBe(true);
  });

  test('refuses bodies beyond those that may wait, and of one owner before those of others', async () => {
    const pool = poolOf(1);
    const running = Array.from({ length: 17 }, () => pool.run(jobOf(once(rows))));
    expect(() => pool.run(jobOf(once(rows)))).toThrow('As many bodies wait');
    const other = pool.run(
      jobOf(once(rows), { caller: { owner: 'b', key: { id: '2', name: 'k' } } }),
    );
    await Promise.all([...running, other].map(textOf));
  });

  test('goes on with another body while the reader of an answer is slow', async () => {
    const pool = poolOf(1);
    const slow = pool.run(jobOf(once(JSON.stringify(rentRows(20_000)))));
    await slow.next();
    expect(answersIn(await textOf(pool.run(jobOf(once(rows)))))).toBe(5);
    await slow.return();
  });

  test('reads a stream no faster than its answer is taken', async () => {
    const pool = poolOf(1);
    const line = Buffer.from(
      rentRows(1000)
        .map((row) => `${JSON.stringify(row)}\n`)
        .join(''),
    );
    let pieces = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      for (;;) {
        pieces += 1;
        yield line;
        await pause(1);
      }
    }
    const options = { from: 'ndjson', to: 'ndjson' } as const;
    const job = pool.run(jobOf(endless(), { options, isWhole: false }));
    await job.next();
    await pause(500);
    const read = pieces;
    await pause(300);
    expect(pieces).toBe(read);
    expect(read).toBeLessThan(20);
    await job.return();
  });

  test('ends a job whose caller has gone', async () => {
    const pool = poolOf(1);
    const gone = new AbortController();
    const never = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[');
      await new Promise(() => {});
    };
    const job = pool.run(jobOf(never(), { closed: gone.signal }));
    gone.abort();
    expect(await textOf(job)).toBe('');
    expect(answersIn(await textOf(pool.run(jobOf(once(rows)))))).toBe(5);
  });

  test('fails the jobs of a thread that ends, and begins another for the next', async () => {
    const pool = poolOf(1);
    const never = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[');
      await new Promise(() => {});
    };
    const failed = textOf(pool.run(jobOf(never())));
    void failed.catch(() => {});
    await pool.stop();
    await expect(failed).rejects.toThrow(ThreadEndedError);
    expect(answersIn(await textOf(pool.run(jobOf(once(rows)))))).toBe(5);
  });
});
