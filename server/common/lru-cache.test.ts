import { expect, test } from 'vitest';
import { LruCache } from './lru-cache.js';

test('the least recently used entries go, where reading and setting again both count as use', () => {
  const cache = new LruCache<number>({ maxEntries: 3 });
  for (const [value, key] of ['a', 'b', 'c'].entries()) cache.set(key, value);
  cache.get('a');
  cache.set('b', 10);
  cache.set('d', 3);
  expect(['a', 'b', 'c', 'd'].map((key) => cache.get(key))).toEqual([0, 10, undefined, 3]);
});

test('a large entry makes as many others go as it needs room for', () => {
  const cache = new LruCache<string>({ maxSize: 10 });
  cache.set('a', 'A', 4);
  cache.set('b', 'B', 4);
  cache.set('c', 'C', 6);
  expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual([undefined, 'B', 'C']);
});

test('an entry counts with its last size', () => {
  const cache = new LruCache<string>({ maxSize: 10 });
  cache.set('a', 'A', 10);
  cache.set('a', 'A', 5);
  cache.set('b', 'B', 5);
  expect([cache.get('a'), cache.get('b')]).toEqual(['A', 'B']);
});

test('an entry larger than the cache is not kept, and neither is the one that it replaces', () => {
  const cache = new LruCache<string>({ maxSize: 10 });
  cache.set('a', 'A', 4);
  cache.set('b', 'B', 4);
  cache.set('a', 'AA', 11);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'B']);
});
