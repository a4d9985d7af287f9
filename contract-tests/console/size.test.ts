import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { root } from '../../testkit/root.js';

const folder = new URL('dist/server/console/console/', root);

async function compressedSize(file: string): Promise<number> {
  return gzipSync(await readFile(new URL(file, folder))).length;
}

test.each([
  ['index.js', 60_000],
  ['index.css', 12_000],
])('%s, of which the first view is made, has at most %d bytes, compressed', async (file, limit) => {
  expect(await compressedSize(file)).toBeLessThanOrEqual(limit);
});

/** Loaded by those who download a workbook. */
const WORKBOOKS = 'write-workbook.js';

test('all scripts have at most 96,000 bytes, compressed, without the writer of workbooks', async () => {
  const scripts = (await readdir(folder)).filter((file) => file.endsWith('.js') && file !== WORKBOOKS);
  const sizes = await Promise.all(scripts.map(compressedSize));
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(96_000);
  expect(await compressedSize(WORKBOOKS)).toBeLessThanOrEqual(20_000);
});

test('no script uses what only Node.js has', async () => {
  for (const file of (await readdir(folder)).filter((name) => name.endsWith('.js'))) {
    expect(await readFile(new URL(file, folder), 'utf8'), file).not.toMatch(/\bBuffer\.|\bnode:/);
  }
});

test('no file has the examples of the contract', async () => {
  for (const file of await readdir(folder)) {
    expect(await readFile(new URL(file, folder), 'utf8')).not.toContain('019a2f41-4f50-7e8f');
  }
});
