import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadlines } from './deadlines.js';

const MS = 1000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('calls back for what takes longer, and not for what has ended', () => {
  const late: string[] = [];
  const deadlines = new Deadlines<string>(MS, (item) => late.push(item));
  deadlines.begin('slow');
  deadlines.begin('quick');
  expect(deadlines.end('quick')).toBe(true);
  vi.advanceTimersByTime(MS);
  expect(late).toEqual(['slow']);
  expect(deadlines.end('slow')).toBe(false);
});

test('gives the whole time to what begins again', () => {
  const late: string[] = [];
  const deadlines = new Deadlines<string>(MS, (item) => late.push(item));
  deadlines.begin('first');
  vi.advanceTimersByTime(MS / 2);
  deadlines.begin('second');
  vi.advanceTimersByTime(MS / 4);
  deadlines.begin('first');
  vi.advanceTimersByTime(MS * 0.75);
  expect(late).toEqual(['second']);
  vi.advanceTimersByTime(MS / 4);
  expect(late).toEqual(['second', 'first']);
});

test('calls back for the others although one callback throws', () => {
  const late: string[] = [];
  const deadlines = new Deadlines<string>(MS, (item) => {
    if (item === 'bad') throw new Error('a fault');
    late.push(item);
  });
  deadlines.begin('bad');
  deadlines.begin('good');
  expect(() => vi.advanceTimersByTime(MS)).toThrow('a fault');
  vi.advanceTimersByTime(MS);
  expect(late).toEqual(['good']);
  expect(deadlines.has('bad')).toBe(false);
});
