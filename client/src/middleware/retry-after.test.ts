import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retryAfter } from './retry-after.js';

function answer(value: string, date?: string): Response {
  return new Response(null, { status: 503, headers: { 'Retry-After': value, ...(date && { Date: date }) } });
}

const DATE = 'Sun, 06 Nov 1994 08:49:07 GMT';

describe('Retry-After', () => {
  test('is a number of seconds', () => {
    expect(retryAfter(answer('120'))).toBe(120_000);
  });

  test.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'is a date in each of the forms that HTTP has: %s',
    (date) => {
      expect(retryAfter(answer(date, DATE))).toBe(30_000);
    },
  );

  test('counts from the server’s clock, even if this machine’s clock is wrong', () => {
    const second = fc.integer({ min: 0, max: 4_000_000_000 });
    const seconds = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(second, seconds, (now, wait) => {
        const date = (at: number) => new Date(at * 1000).toUTCString();
        expect(retryAfter(answer(date(now + wait), date(now)))).toBe(wait * 1000);
      }),
    );
  });

  test('in the past asks for no wait', () => {
    expect(retryAfter(answer('Sun, 06 Nov 1994 08:48:37 GMT', DATE))).toBe(0);
    expect(retryAfter(answer(DATE))).toBe(0);
  });

  test.each(['', 'soon', '-1', '1.5', '2026-01-01', 'Sun, soon'])('that is %j says nothing', (value) => {
    expect(retryAfter(answer(value))).toBeUndefined();
  });

  test('that is missing says nothing', () => {
    expect(retryAfter(new Response())).toBeUndefined();
  });
});
