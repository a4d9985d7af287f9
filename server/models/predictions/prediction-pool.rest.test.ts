import { setTimeout as pause } from 'node:timers/promises';
import { encodeModel, train } from 'roster-prediction/training';
import { afterEach, describe, expect, test } from 'vitest';
import { readRows, rentRows } from '../../../testkit/prediction/sample-tables.js';
import { type AnswerProgress, PredictionPool, type PredictionRequest } from './prediction-pool.js';

const script = new URL('../../../dist/server/models/predictions/prediction-worker.js', import.meta.url);

const artifact = encodeModel(train(readRows(rentRows(200), 'rent'), { effort: 'fast' }));

const pools: PredictionPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

function poolOf(workers: number, maxHeapMiB = 256): PredictionPool {
  const stored = { artifact, seenRows: null };
  const predictors = { ofVersion: async () => undefined, storedModel: async () => stored };
  const pool = new PredictionPool(workers, predictors, { script, maxHeapMiB });
  pools.push(pool);
  return pool;
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

function rowsOf(body: AsyncIterable<Uint8Array>, more: Partial<PredictionRequest> = {}): PredictionRequest {
  return {
    caller: { owner: 'a' },
    versionId: 'version',
    options: { from: 'json', to: 'json' },
    body,
    isWhole: true,
    count: () => undefined,
    responseClosed: new AbortController().signal,
    ...more,
  };
}

async function textOf(job: AsyncIterable<AnswerProgress>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const event of job) if (event.kind === 'bytes') parts.push(event.bytes);
  return Buffer.concat(parts).toString();
}

const rows = JSON.stringify(rentRows(5));
const answersIn = (text: string) => JSON.parse(text).length;

describe('a pool of workers', () => {
  test('answers more bodies than it has workers', async () => {
    const pool = poolOf(2);
    const answers = await Promise.all(Array.from({ length: 10 }, () => textOf(pool.answer(rowsOf(once(rows))))));
    expect(answers.map(answersIn)).toEqual(answers.map(() => 5));
  });

  test('counts all rows of JSON before the first is answered, whether or not they have a limit', async () => {
    const pool = poolOf(1);
    const many = JSON.stringify(rentRows(5000));
    for (const caller of [{ owner: 'a' }, { owner: 'a', limits: { rows: 9000 } }]) {
      const events: string[] = [];
      const count = async (counted: number) => {
        events.push(`counted ${counted}`);
      };
      for await (const { kind } of pool.answer(rowsOf(once(many), { caller, count }))) {
        if (kind === 'bytes') events.push('answered');
      }
      const [first, ...rest] = events;
      expect(first).toBe('counted 5000');
      expect(new Set(rest)).toEqual(new Set(['answered']));
    }
  });

  test('counts the rows of a stream as they are answered, also where they have a limit', async () => {
    const pool = poolOf(1);
    const lines = rentRows(40).map((row) => `${JSON.stringify(row)}\n`);
    const options = { from: 'ndjson', to: 'ndjson' } as const;
    const caller = { owner: 'a', limits: { rows: 100 } };
    let counted = 0;
    const count = async (some: number) => {
      counted += some;
    };
    const request = rowsOf(once(lines.join('')), { options, caller, count, isWhole: false });
    expect((await textOf(pool.answer(request))).trimEnd().split('\n')).toHaveLength(40);
    expect(counted).toBe(40);
  });

  test('answers none of the rows that are refused, and then another body', async () => {
    const pool = poolOf(1);
    const count = () => Promise.reject(new Error('No more rows'));
    const caller = { owner: 'a', limits: { rows: 1 } };
    const refused = pool.answer(rowsOf(once(rows), { caller, count }));
    const kinds: string[] = [];
    await expect(
      (async () => {
        for await (const { kind } of refused) kinds.push(kind);
      })(),
    ).rejects.toThrow('No more rows');
    expect(kinds).not.toContain('bytes');
    expect(answersIn(await textOf(pool.answer(rowsOf(once(rows), { caller }))))).toBe(5);
  });

  test('answers the same rows with the same bytes, whichever else it answers meanwhile', async () => {
    const pool = poolOf(1);
    const many = () => once(JSON.stringify(rentRows(1000)));
    const alone = await textOf(pool.answer(rowsOf(many())));
    const streams = Array.from({ length: 4 }, () => textOf(pool.answer(rowsOf(many(), { isWhole: false }))));
    for (const text of await Promise.all(streams)) expect(text === alone).toBe(true);
  });

  test('refuses bodies beyond those that may wait, and of one owner before those of others', async () => {
    const pool = poolOf(1);
    const running = Array.from({ length: 17 }, () => textOf(pool.answer(rowsOf(once(rows)))));
    const refused = textOf(pool.answer(rowsOf(once(rows))));
    const caller = { owner: 'b' };
    const other = textOf(pool.answer(rowsOf(once(rows), { caller })));
    await expect(refused).rejects.toThrow('as many predictions to do');
    await Promise.all([...running, other]);
  });

  test('goes on with another body while the reader of an answer is slow', async () => {
    const pool = poolOf(1);
    const slow = pool.answer(rowsOf(once(JSON.stringify(rentRows(20_000)))));
    await slow.next();
    expect(answersIn(await textOf(pool.answer(rowsOf(once(rows)))))).toBe(5);
    await slow.return(undefined);
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
    const job = pool.answer(rowsOf(endless(), { options, isWhole: false }));
    await job.next();
    // The time of the last pieces depends on the machine; a reader that does not wait never stands still.
    for (let read = 0; read !== pieces && pieces < 20; await pause(1000)) read = pieces;
    expect(pieces).toBeLessThan(20);
    await job.return(undefined);
  });

  test('ends the answers that were read least lately, if there are many', async () => {
    const pool = poolOf(1);
    const many = JSON.stringify(rentRows(4000));
    const unread = Array.from({ length: 8 }, () => pool.answer(rowsOf(once(many))));
    for (const answer of unread) await answer.next();
    const rest = await Promise.allSettled(unread.map(textOf));
    expect(rest.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(0);
    expect(rest.at(-1)?.status).toBe('fulfilled');
  });

  test('ends an answer whose caller has gone, and goes on with another', async () => {
    const pool = poolOf(1);
    const gone = new AbortController();
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const never = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[');
      begin();
      await new Promise(() => {});
    };
    const text = textOf(pool.answer(rowsOf(never(), { responseClosed: gone.signal })));
    await begun;
    gone.abort();
    expect(await text).toBe('');
    expect(answersIn(await textOf(pool.answer(rowsOf(once(rows)))))).toBe(5);
  });

  test('begins no body whose caller has gone while it waited, and counts it no more', async () => {
    const pool = poolOf(1);
    const long = textOf(pool.answer(rowsOf(once(JSON.stringify(rentRows(4000))))));
    const gone = new AbortController();
    const left = Array.from({ length: 16 }, () =>
      textOf(pool.answer(rowsOf(once(rows), { responseClosed: gone.signal }))),
    );
    gone.abort();
    expect(await Promise.all(left)).toEqual(left.map(() => ''));
    expect(await textOf(pool.answer(rowsOf(once(rows), { responseClosed: gone.signal })))).toBe('');
    expect(answersIn(await textOf(pool.answer(rowsOf(once(rows)))))).toBe(5);
    expect(answersIn(await long)).toBe(4000);
  });

  test('fails what is answered when it is closed', async () => {
    const pool = poolOf(1);
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const never = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[');
      begin();
      await new Promise(() => {});
    };
    const failed = textOf(pool.answer(rowsOf(never())));
    void failed.catch(() => {});
    await begun;
    await pool.close();
    await expect(failed).rejects.toMatchObject({ cause: { name: 'WorkerEndedError' } });
  });
});
