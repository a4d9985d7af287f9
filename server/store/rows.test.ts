import { describe, expect, test } from 'vitest';
import { chunksBySize } from './rows.js';

describe('a list is read in parts', () => {
  const entries = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, index) => ({ id: String(index), bytes }));

  test('of at most 128 small resources', () => {
    expect([...chunksBySize(entries(300, 10))].map(({ length }) => length)).toEqual([128, 128, 44]);
  });

  test('of at most 256 KiB, or one resource that is larger', () => {
    expect([...chunksBySize(entries(5, 100_000))].map(({ length }) => length)).toEqual([2, 2, 1]);
    expect([...chunksBySize(entries(2, 1_000_000))].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('without any, if it is empty', () => {
    expect([...chunksBySize([])]).toEqual([]);
  });
});
