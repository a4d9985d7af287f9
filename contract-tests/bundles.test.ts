/** Tests that what runs as a process or a thread is bundled, and is in the package. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../testkit/root.js';
import config from '../vite.config.js';

const folder = fileURLToPath(root);
const bundled = Object.keys(config.build?.rolldownOptions?.input ?? {});

test('each script that the service starts is bundled', () => {
  const files = readdirSync(join(folder, 'server'), { recursive: true, encoding: 'utf8' });
  const started = files
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((file) => `server/${file.replaceAll('\\', '/')}`)
    .flatMap((file) => {
      const source = readFileSync(join(folder, file), 'utf8');
      const scripts = source.matchAll(/new URL\('(.*?)\.js', import\.meta\.url\)/g);
      return [...scripts].map(([, name = '']) => join(dirname(file), name));
    });
  expect(started).toContain('server/models/training/table-worker');
  expect(bundled).toEqual(expect.arrayContaining(started));
});

test('each bundle is in the package', async () => {
  const { stdout } = await promisify(execFile)('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    shell: process.platform === 'win32',
  });
  const [{ files }]: [{ files: { path: string }[] }] = JSON.parse(stdout);
  expect(files.map(({ path }) => path)).toEqual(expect.arrayContaining(bundled.map((name) => `dist/${name}.js`)));
});
