import { createPredictor, decodeModel, encodeModel, readRowsTable, train } from 'roster-prediction';
import { expect, test } from 'vitest';
import { ModelCache } from './answer-body.js';

/** Stores a model of some series, each with four values. */
function storeSeries(count: number): Uint8Array {
  const rows = Array.from({ length: 4 * count }, (_, row) => {
    return { name: `series ${Math.floor(row / 4)}`, step: row % 4, value: (row * 7919) % 13 };
  });
  const task = { orderBy: 'step', groupBy: ['name'], horizon: 1, known: [] };
  return encodeModel(train(readRowsTable(rows, 'value', { task })));
}

const memoryOf = (artifact: Uint8Array) => createPredictor(decodeModel(artifact)).memoryBytes;

test('a model says that it takes more memory with more series, a few bytes a value', () => {
  const [few, many] = [200, 2200].map((count) => memoryOf(storeSeries(count)));
  const perSeries = ((many ?? 0) - (few ?? 0)) / 2000;
  // Four values of eight bytes, a name, and the places of both; as objects, it was 600.
  expect(perSeries).toBeGreaterThan(32);
  expect(perSeries).toBeLessThan(150);
});

test('models are kept as long as the memory that they take together is allowed', async () => {
  const artifact = storeSeries(500);
  const cache = new ModelCache(2.5 * memoryOf(artifact));
  const load = (version: string) => cache.load(version, { artifact, seenRows: null }, async () => {});
  const first = await load('first');
  await load('second');
  expect(cache.get('first')).toBe(first);
  await load('third');
  expect(['first', 'second', 'third'].filter((version) => cache.get(version))).toEqual(['first', 'third']);
});

test('a model that takes more than is allowed is kept alone', async () => {
  const artifact = storeSeries(200);
  const cache = new ModelCache(memoryOf(artifact) / 2);
  for (const version of ['first', 'second']) {
    await cache.load(version, { artifact, seenRows: null }, async () => {});
  }
  expect(cache.get('first')).toBeUndefined();
  expect(cache.get('second')).toBeDefined();
});

test('a model takes more memory once its contributions were asked for, and is weighed again', async () => {
  const rows = Array.from({ length: 200 }, (_, row) => ({ size: (row * 37) % 101, kind: row % 3, price: row % 17 }));
  const artifact = encodeModel(train(readRowsTable(rows, 'price')));
  const cache = new ModelCache(2 * memoryOf(artifact) + 1000);
  const load = (version: string) => cache.load(version, { artifact, seenRows: null }, async () => {});
  await load('first');
  const second = await load('second');
  expect(cache.get('first')).toBeDefined();
  const before = second.memoryBytes;
  for (const portion of second.answer(rows, { contributions: true })) expect(portion.length).toBeGreaterThan(0);
  expect(second.memoryBytes).toBeGreaterThan(before + 64 * 1024);
  expect(cache.get('second')).toBe(second);
  expect(cache.get('first')).toBeUndefined();
});
