/** Tests of the Node example against the real server. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { someDiamonds } from '../../testkit/data/diamonds.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = 'examples/node/prices.js';

let server: ServerProcess;
let folder: string;
beforeAll(async () => {
  server = await startServer();
  // In here the package's own name is found, and Git does not look.
  folder = await mkdtemp(join(ROOT, 'client/dist/example-'));
  await mkdir(join(folder, 'examples/node'), { recursive: true });
  await mkdir(join(folder, 'datasets'));
  await copyFile(join(ROOT, EXAMPLE), join(folder, EXAMPLE));
  // The program does the same with a twentieth of the table.
  await writeFile(join(folder, 'datasets/diamonds.csv'), someDiamonds(500));
});
afterAll(async () => {
  await server.stop();
  await rm(folder, { recursive: true });
});

function run(env: NodeJS.ProcessEnv) {
  const example = join(folder, EXAMPLE);
  return promisify(execFile)(process.execPath, [example], { env: { ...process.env, ...env } });
}

test('the example trains, waits, predicts and lists', async () => {
  const { stdout, stderr } = await run({ ROSTER_URL: server.url });
  expect(stderr).toBe('');
  expect(stdout).toContain('Version 1: 100 %');
  expect(stdout).toMatch(/off by \$\d+ on average/);
  expect(stdout).toMatch(/0\.7 carat: \$[\d.]+, from \$[\d.]+ to \$[\d.]+/);
  expect(stdout).toContain('diamond_prices is ready.');
});

test('the example prints in one line why the service refuses it', async () => {
  const refused: unknown = await run({ ROSTER_URL: server.url, ROSTER_KEY: 'roster_of_nobody' }).catch(
    (error: unknown) => error,
  );
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused).toMatchObject({ stderr: expect.stringMatching(/^Unauthorized: .+\n$/) });
});
