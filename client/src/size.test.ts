/** Tests that the client stays small in pages, minified by the bundler that Vite brings. */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';

/** The sizes of 0.2.0 in bytes, and a twentieth more. */
test.each([
  ['createRosterClient', 12_700 * 1.05],
  ['createRoster', 37_500 * 1.05],
])('%s alone, with all that it needs, has at most %d bytes', async (name, limit) => {
  const entry = `export { ${name} } from ${JSON.stringify(fileURLToPath(new URL('./index.ts', import.meta.url)))};`;
  const bundle = await rolldown({
    input: 'entry',
    platform: 'browser',
    plugins: [
      { name: 'entry', resolveId: (id) => (id === 'entry' ? id : null), load: (id) => (id === 'entry' ? entry : null) },
    ],
  });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  const bytes = output.reduce((sum, file) => sum + (file.type === 'chunk' ? Buffer.byteLength(file.code) : 0), 0);
  expect(bytes).toBeLessThanOrEqual(limit);
  expect(bytes).toBeGreaterThan(5_000);
});
