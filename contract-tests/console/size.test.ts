import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { root } from '../../testkit/root.js';

test.each([
  ['index.js', 60_000],
  ['agent-views.js', 12_000],
  ['model-views.js', 8_000],
  ['index.css', 12_000],
])('%s has at most %d bytes, compressed', async (file, limit) => {
  const content = await readFile(new URL(`dist/server/console/console/${file}`, root));
  expect(gzipSync(content).length).toBeLessThanOrEqual(limit);
});

test('no file has the examples of the contract', async () => {
  const folder = new URL('dist/server/console/console/', root);
  for (const file of await readdir(folder)) {
    expect(await readFile(new URL(file, folder), 'utf8')).not.toContain('019a2f41-4f50-7e8f');
  }
});
