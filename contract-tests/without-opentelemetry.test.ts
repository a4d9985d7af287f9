/** OpenTelemetry is an optional peer: an installation without spans does not have it. */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../testkit/root.js';
import { startChild } from '../testkit/service/child-process.js';
import packageJson from '../tools/on-demand/opentelemetry/package.json' with { type: 'json' };

/** Packages look for what they need beside their links too, where OpenTelemetry is not. */
const BESIDE_LINKS = '--preserve-symlinks';

const SETTINGS = { ...process.env, PORT: '0', DATABASE_URL: ':memory:', DRAIN_SECONDS: '0' };

/** The built service beside every installed package but OpenTelemetry's. */
let folder: string;
let main: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roster-without-'));
  main = join(folder, 'dist/server/main.js');
  const pathOf = (name: string) => fileURLToPath(new URL(name, root));
  for (const name of ['package.json', 'openapi.yaml']) await cp(pathOf(name), join(folder, name));
  for (const part of ['server', 'openapi']) {
    await cp(pathOf(`dist/${part}`), join(folder, 'dist', part), { recursive: true });
  }
  await mkdir(join(folder, 'node_modules'));
  const packages = await readdir(pathOf('node_modules'));
  for (const name of packages.filter((name) => name !== '@opentelemetry')) {
    await symlink(pathOf(`node_modules/${name}`), join(folder, 'node_modules', name));
  }
});
afterAll(() => rm(folder, { recursive: true }));

test('without variables of OpenTelemetry the service starts, and loads nothing of it', async () => {
  const listening = (line: string) => (line.includes('"listening"') ? line : undefined);
  const child = await startChild(process.execPath, [BESIDE_LINKS, main], SETTINGS, listening);
  expect(await child.stop()).toBe(0);
});

test('with them it does not start, and one line says what to install', async () => {
  const env = { ...SETTINGS, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };
  const version = packageJson.dependencies['@opentelemetry/sdk-node'];
  const start = promisify(execFile)(process.execPath, [BESIDE_LINKS, main], { env });
  await expect(start).rejects.toMatchObject({
    code: 1,
    stderr: `Roster did not start: spans need OpenTelemetry, which is not installed: install it (npm install @opentelemetry/sdk-node@${version}), or unset the variables that begin with OTEL_\n`,
  });
});
