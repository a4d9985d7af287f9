/** Tests of the Node example against the real server. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';

const EXAMPLE = fileURLToPath(new URL('../../examples/node/prices.js', import.meta.url));

let server: ServerProcess;
beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
});

function run(env: NodeJS.ProcessEnv) {
  return promisify(execFile)(process.execPath, [EXAMPLE], { env: { ...process.env, ...env } });
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
  const refused: unknown = await run({
    ROSTER_URL: server.url,
    ROSTER_KEY: 'roster_of_nobody',
  }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused).toMatchObject({ stderr: expect.stringMatching(/^Unauthorized: .+\n$/) });
});
