import { describe, expect, test } from 'vitest';
import { BOUNDS, findFault, GROSS_BOUNDS, type Measured, measureSeries, slopeOf } from './judge.js';

const SIZES = [64, 256, 1024, 4096];
const ROUNDS = 4;

/** Counts the characters that a function looks at, and takes each for ten microseconds. */
function counting(work: (text: string, look: (at: number) => string) => void) {
  return async (bytes: number): Promise<Measured> => {
    const text = 'eyJ'.repeat(bytes / 3);
    let looks = 0;
    work(text, (at) => {
      looks += 1;
      return text.charAt(at);
    });
    return { bytes, status: 200, hold: looks / 100 };
  };
}

/** Looks at each character once. */
const linear = counting((text, look) => {
  for (let at = 0; at < text.length; at += 1) look(at);
});

/** Searches for the end of a token from each of its beginnings, as `/eyJ\w*\./` does. */
const quadratic = counting((text, look) => {
  for (let start = 0; start < text.length; start += 3) {
    for (let at = start; at < text.length && look(at) !== '.'; at += 100);
  }
});

/** Tries both ways at each character, as `/(a|a)*!/` does, up to a bearable time. */
async function exponential(bytes: number): Promise<Measured> {
  return { bytes, status: 200, hold: 2 ** Math.min(bytes / 256, 40) / 1000 };
}

describe('a planted handler', () => {
  test.each([
    ['quadratic', quadratic],
    ['exponential', exponential],
  ])('is found if its work is %s, in the short form as well', async (_, handler) => {
    const long = await measureSeries(SIZES, handler, BOUNDS, ROUNDS);
    expect(long.fault?.at.bytes).toBe(4096);
    expect(long.fault?.slope).toBeGreaterThan(1.9);
    const { fault } = await measureSeries([4096, 16_384], handler, GROSS_BOUNDS, ROUNDS);
    expect(fault).toBeDefined();
  });

  test('is not found if its work is linear', async () => {
    const { fault } = await measureSeries(SIZES, linear, BOUNDS, ROUNDS);
    expect(fault).toBeUndefined();
  });

  test('is found if its work is linear, and too much at the largest size', async () => {
    const { fault } = await measureSeries([...SIZES, 16_384], linear, BOUNDS, ROUNDS);
    expect(fault?.at.bytes).toBe(16_384);
    expect(fault?.slope).toBeCloseTo(1, 1);
  });
});

test('a hold that happens once is no finding', async () => {
  const holds = [80, 2, 2, 2];
  const measure = async (bytes: number) => ({ bytes, status: 200, hold: holds.shift() ?? 2 });
  const { series, fault } = await measureSeries([4096, 16_384], measure, BOUNDS, ROUNDS);
  expect(fault).toBeUndefined();
  expect(series.map(({ hold }) => hold)).toEqual([2, 2]);
});

test('a series is measured once if it is within bounds, and a hold without a slope needs no other size', async () => {
  const sent: number[] = [];
  const measure = async (bytes: number) => {
    sent.push(bytes);
    return { bytes, status: 200, hold: 1 };
  };
  await measureSeries([4096, 16_384], measure, BOUNDS, ROUNDS);
  expect(sent).toEqual([16_384]);
  await measureSeries([1024, 4096, 16_384], measure, BOUNDS, ROUNDS);
  expect(sent).toEqual([16_384, 16_384, 4096, 1024]);
});

test('a step between two sizes in the middle is found', () => {
  const series = [0.2, 0.8, 24, 40].map((hold, at) => ({ bytes: 1024 * 4 ** at, status: 200, hold }));
  expect(findFault(series, BOUNDS)).toEqual({ at: series[2], slope: expect.closeTo(1.8, 1) });
});

test('the noise of short holds has no slope, nor have answers of different statuses', () => {
  const measured = (bytes: number, hold: number, status = 200) => ({ bytes, status, hold });
  expect(slopeOf([measured(1024, 0.01), measured(4096, 4.9)], BOUNDS.floor)).toBeUndefined();
  expect(slopeOf([measured(1024, 0.1, 400), measured(4096, 40)], BOUNDS.floor)).toBeUndefined();
  expect(slopeOf([measured(4096, 40)], BOUNDS.floor)).toBeUndefined();
  // From nothing to the floor, which may be noise and linear growth.
  const least = [measured(1024, 0.01), measured(4096, BOUNDS.floor)];
  expect(slopeOf(least, BOUNDS.floor)).toBeLessThan(BOUNDS.slope);
});
