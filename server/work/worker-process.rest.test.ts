/** Tests processes that end for various reasons. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { stopClock } from '../../testkit/stopped-clock.js';
import { coalesceChunks } from '../models/training/tables.js';
import { WorkerPool } from './worker-pool.js';
import { type Job, OutOfMemoryError, WorkerEndedError, WorkerTimeoutError } from './worker-process.js';

const BUILT = new URL('../../dist/server/work/', import.meta.url);

/** A worker that runs the named action of a job. */
const SCRIPT = `
import { serveJobs } from '${new URL('serve-jobs.js', BUILT).href}';
const jobs = {
  echo: async (input, output) => {
    for await (const bytes of input) output.data(bytes);
    return process.pid;
  },
  hurried: async () => process.pid,
  // Opens it, which makes it non-blocking.
  opened: async (_input, output) => {
    process.stdout.on('error', () => {});
    for (let part = 0; part < 20; part++) output.data(new Uint8Array(1 << 20));
    return 'done';
  },
  tired: async (input) => {
    for await (const _ of input) await new Promise((resolve) => setTimeout(resolve, 5));
  },
  growing: async () => {
    for (const all = []; ; ) all.push(new Array(1000).fill(all.length));
  },
  hugeArray: async () => {
    const all = new Array(30_000_000).fill(0.5);
    return all.map(String).length;
  },
  hugeMap: async () => {
    for (const map = new Map(); ; ) map.set(map.size, map.size);
  },
  hugeText: async () => 'x'.repeat(2 ** 29 - 25).split('').length,
  hugeBuffer: async () => new ArrayBuffer(2 ** 47).byteLength,
  native: async () => {
    for (const all = []; ; ) all.push(Buffer.alloc(1_000_000, 1));
  },
  busy: async () => {
    for (;;);
  },
  killed: async () => process.kill(process.pid, 'SIGKILL'),
  exited: async () => process.exit(3),
  throwing: async () => {
    throw new Error('of its own');
  },
  forever: async (_input, output) => {
    for (let part = 0; ; part += 1e-9) output.event(part);
  },
  environment: async () => ({ env: Object.keys(process.env), flags: process.execArgv }),
};
await serveJobs((name, input, output) => jobs[name](input, output));
`;

const OPTIONS = {
  maxHeapMiB: 64,
  maxMemoryBytes: 400 * 1024 * 1024,
  maxSilenceMs: 60_000,
  maxIdle: 1,
  idleTimeoutMs: 60_000,
};

let folder: string;
let script: URL;
let pool: WorkerPool<string, unknown, number>;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-worker-'));
  const file = join(folder, 'worker.mjs');
  writeFileSync(file, SCRIPT);
  script = pathToFileURL(file);
  pool = new WorkerPool({ ...OPTIONS, script });
});
afterAll(async () => {
  await pool.close();
  rmSync(folder, { recursive: true });
});

async function* pieces(...all: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}

function run(details: string, job: Partial<Job<string, number>> = {}): Promise<unknown> {
  return pool.run({ details, input: pieces(), onData: () => {}, ...job });
}

const bytes = (count: number) => Uint8Array.from({ length: count }, (_, index) => index % 251);

test('a job whose output does not block waits for a service that is slow to take it', async () => {
  let taken = 0;
  const onData = async (part: Uint8Array) => {
    taken += part.length;
    await pause(20);
  };
  expect(await run('opened', { onData })).toBe('done');
  expect(taken).toBe(20 << 20);
});

describe('a worker process that ends before its job', () => {
  test.each(['growing', 'hugeArray', 'hugeMap', 'hugeText', 'hugeBuffer', 'native'])(
    'for lack of memory (%s) is reported as such, and the next job gets another process',
    async (how) => {
      await expect(run(how)).rejects.toThrow(OutOfMemoryError);
      expect(await run('hurried')).toBeTypeOf('number');
    },
  );

  test.each(['killed', 'exited'])('otherwise (%s) is reported in one line', async (how) => {
    const error = await run(how).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(WorkerEndedError);
    expect(String(error)).toMatch(/^WorkerEndedError: .*(SIGKILL|code 1|code 3)[^\n]*$/);
    expect(await run('hurried')).toBeTypeOf('number');
  });

  test('because of the job’s signal ends with the signal’s reason', async () => {
    const giveUp = new AbortController();
    const onEvent = () => giveUp.abort(new Error('given up'));
    await expect(run('forever', { signal: giveUp.signal, onEvent })).rejects.toThrow('given up');
  });

  test('because its job does nothing is reported as such', async () => {
    stopClock();
    const strict = new WorkerPool<string, unknown>({ ...OPTIONS, script });
    const busy = { details: 'busy', input: pieces(), onData: () => {} };
    const silent = expect(strict.run(busy)).rejects.toThrow(WorkerTimeoutError);
    let isOver = false;
    void silent.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      vi.advanceTimersByTime(OPTIONS.maxSilenceMs);
      await pause(1);
    }
    await silent;
    const started = await strict.run({ ...busy, details: 'hurried' });
    // A job that waits for its input is not silent.
    async function* late() {
      vi.advanceTimersByTime(3 * OPTIONS.maxSilenceMs);
      await pause(1);
      yield bytes(1);
    }
    expect(await strict.run({ ...busy, details: 'echo', input: late() })).toBe(started);
    await strict.close();
  });

  test('because the pool is closed has ended when that resolves', async () => {
    const closed = new WorkerPool<string, unknown>({ ...OPTIONS, script });
    const pid = await closed.run({ details: 'hurried', input: pieces(), onData: () => {} });
    const busy = closed.run({ details: 'busy', input: pieces(), onData: () => {} });
    const ended = expect(busy).rejects.toThrow(WorkerEndedError);
    await pause(100);
    await closed.close();
    expect(isThere(Number(pid))).toBe(false);
    await ended;
  });

  // A worker that is busy reads and writes nothing, from which it could tell.
  test.each(['forever', 'busy'])('(%s) because the service is gone', async (what) => {
    const parent = join(folder, 'parent.mjs');
    writeFileSync(
      parent,
      `
      import { WorkerPool } from '${new URL('worker-pool.js', BUILT).href}';
      const pool = new WorkerPool({ ...${JSON.stringify(OPTIONS)}, script: new URL('${script.href}') });
      const job = (details) => ({ details, input: [], onData: () => {} });
      console.log(await pool.run(job('hurried')));
      void pool.run(job('${what}'));
      `,
    );
    const child = spawn(process.execPath, [parent], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line]: unknown[] = await once(child.stdout, 'data');
    const pid = Number(line);
    expect(isThere(pid)).toBe(true);
    await pause(100);
    child.kill('SIGKILL');
    while (isThere(pid)) await pause(10);
  });
});

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a worker process', () => {
  afterEach(async () => {
    expect(await run('hurried')).toBeTypeOf('number');
  });

  test('returns the bytes of pieces of any size, in order', async () => {
    const sent = [0, 1, 70_000, 5, 300_000].map(bytes);
    const received: Buffer[] = [];
    await run('echo', {
      input: pieces(...sent),
      onData: (piece) => {
        received.push(piece);
      },
    });
    expect(received.map(({ length }) => length)).toEqual(sent.map(({ length }) => length));
    expect(Buffer.concat(received).equals(Buffer.concat(sent))).toBe(true);
  });

  test('is sent pieces no faster than it takes them', async () => {
    let taken = 0;
    async function* endless() {
      for (; taken < 1000; taken++) yield bytes(1_000_000);
    }
    const job = run('tired', { input: endless() });
    await Promise.race([job, pause(500)]);
    expect(taken).toBeLessThan(200);
    await expect(
      run('throwing', { input: pieces() }).finally(() => {
        taken = 1000;
      }),
    ).rejects.toThrow('of its own');
    await job;
  });

  test('serves the next job too, also when it left some of its input', async () => {
    const first = await run('echo', { input: pieces(bytes(10)) });
    expect(await run('hurried', { input: pieces(bytes(1_000_000), bytes(1)) })).toBe(first);
    expect(await run('echo')).toBe(first);
    async function* never() {
      yield bytes(10);
      await new Promise(() => {});
    }
    expect(await run('hurried', { input: never() })).toBe(first);
    expect(await run('echo')).toBe(first);
  });

  test('that is given up with output unread has ended when the job is reported', async () => {
    const onData = () => Promise.reject(new Error('not kept'));
    const many = pieces(...Array.from({ length: 20 }, () => bytes(300_000)));
    const first = Number(await run('hurried'));
    await expect(run('echo', { input: many, onData })).rejects.toThrow('not kept');
    expect(isThere(first)).toBe(false);
  });

  test('that has ended while idle leaves its place to the next', async () => {
    process.kill(Number(await run('hurried')), 'SIGKILL');
    await pause(50);
    expect(await run('hurried')).toBe(await run('hurried'));
  });

  test('is reused when a job was given up and ends soon', async () => {
    const patient = new WorkerPool<string, unknown, number>({ ...OPTIONS, script, graceMs: 30_000 });
    const job = { input: pieces(), onData: () => {} };
    const first = await patient.run({ ...job, details: 'hurried' });
    const gone = new AbortController();
    async function* late() {
      yield bytes(1);
      gone.abort(new Error('gone'));
      await new Promise(() => {});
    }
    const echo = { ...job, details: 'echo', input: late(), signal: gone.signal };
    await expect(patient.run(echo)).rejects.toThrow('gone');
    expect(await patient.run({ ...job, details: 'hurried' })).toBe(first);
    await patient.close();
  });

  test.each([
    ['small', 10],
    ['large', 1_000_000],
  ])('that ended while idle does not fail the next job, a %s one', async (_, size) => {
    const first = Number(await run('hurried'));
    process.kill(first, 'SIGKILL');
    const received: Buffer[] = [];
    const second = await run('echo', {
      input: pieces(bytes(size)),
      onData: (piece) => {
        received.push(piece);
      },
    });
    expect(second).not.toBe(first);
    expect(Buffer.concat(received).equals(bytes(size))).toBe(true);
  });

  test('inherits neither the service’s secrets nor its flags', async () => {
    expect(await run('environment')).toEqual({ env: [], flags: ['--max-old-space-size=64'] });
  });

  test('passes on the errors of its input, its reader and its job', async () => {
    async function* broken() {
      yield bytes(1);
      throw new Error('broken off');
    }
    await expect(run('echo', { input: broken() })).rejects.toThrow('broken off');
    const onData = () => Promise.reject(new Error('not kept'));
    await expect(run('echo', { input: pieces(bytes(9)), onData })).rejects.toThrow('not kept');
    await expect(run('throwing')).rejects.toThrow('of its own');
  });
});

test('chunks of any size are coalesced into pieces', async () => {
  const all = bytes(1_000_000);
  async function* chunks() {
    for (let at = 0; at < all.length; ) {
      const size = 1 + ((at * 7) % 300_000);
      yield all.subarray(at, at + size);
      at += size;
    }
  }
  const large = await coalesceChunks(chunks());
  const gotten: Uint8Array[] = [];
  for await (const piece of large.pieces) gotten.push(piece);
  expect(Buffer.concat(gotten).equals(all)).toBe(true);
  expect(gotten.length).toBe(4);
  expect(large.length).toBe(Number.POSITIVE_INFINITY);
  async function* nothing() {}
  for await (const _ of (await coalesceChunks(nothing())).pieces) expect.unreachable();
  expect((await coalesceChunks(pieces(bytes(9)))).length).toBe(9);
});
