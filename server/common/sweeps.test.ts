import fc from 'fast-check';
import pino from 'pino';
import { expect, test } from 'vitest';
import { Sweeps } from './sweeps.js';

const log = pino({ enabled: false });

/** Runs a sweep whose steps take these times, in milliseconds. Returns the time of each pause. */
async function runSteps(times: readonly number[]): Promise<number[]> {
  const left = [...times];
  const pauses: number[] = [];
  let now = 0;
  let isOver = () => {};
  const over = new Promise<void>((resolve) => {
    isOver = resolve;
  });
  const step = async () => {
    now += left.shift() ?? 0;
    return left.length > 0;
  };
  const wait = async (ms: number) => {
    now += ms;
    pauses.push(ms);
    if (pauses.length === times.length) isOver();
  };
  const sweeps = new Sweeps([{ failure: 'not swept', everyMs: 60_000, step }], log, { now: () => now, wait });
  sweeps.start();
  await over;
  await sweeps.stop();
  return pauses.slice(0, times.length);
}

test('a sweep works for at most a quarter of the time, however slow a busy store makes its steps', async () => {
  const times = fc.array(fc.double({ min: 0.01, max: 3000, noNaN: true }), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(times, async (steps) => {
      const pauses = await runSteps(steps);
      expect(pauses.at(-1)).toBe(60_000);
      for (const [index, ms] of steps.slice(0, -1).entries()) expect(pauses[index]).toBeGreaterThan(ms * 2.99);
    }),
  );
});

test('a sweep goes on soon after a step that waited for minutes', async () => {
  expect(await runSteps([120_000, 1])).toEqual([10_000, 60_000]);
});
