/** A fault of the contract stops each command that works from it, and is told with its place. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

import { root } from './root.js';
import { type Child, startChild } from './targets/child.js';

const CONTRACT = readFileSync(new URL('openapi.yaml', root), 'utf8');

const WITH_PLACES: [what: string, change: (contract: string) => string, told: RegExp][] = [
  [
    'an unknown reference',
    (contract) => contract.replace("'#/components/schemas/CreateSkillBody'", "'#/components/x'"),
    /openapi\.yaml:355:29: \$ref #\/components\/x leads to nothing/,
  ],
  [
    'a broken example',
    (contract) => contract.replace('{ project: { name: jewellery } }', '{ project: { name: 5 } }'),
    /openapi\.yaml:186:42: the example breaks its schema: must be string/,
  ],
  [
    'an operation without a handler, and a handler without an operation',
    (contract) => contract.replace('operationId: getAgent\n', 'operationId: copyAgent\n'),
    /openapi\.yaml:125:1: no operation is called getAgent[^]*openapi\.yaml:\d+:20: the operation copyAgent has no handler/,
  ],
];

let project: string;
const children: Child[] = [];
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'roster-faulty-'));
  for (const name of ['package.json', '.spectral.yaml', 'redocly.yaml', 'openapi.yaml']) {
    await cp(pathOf(name), join(project, name));
  }
  for (const part of ['server', 'generated', 'generator']) {
    await cp(pathOf(`dist/${part}`), join(project, 'dist', part), { recursive: true });
  }
  await mkdir(join(project, 'generated'));
  await symlink(pathOf('node_modules'), join(project, 'node_modules'));
  await symlink(pathOf('server'), join(project, 'server'));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.stop()));
  await rm(project, { recursive: true });
});

const pathOf = (name: string) => fileURLToPath(new URL(name, root));

/** Runs a command of the project until it ends. */
function run(command: string, ...args: string[]): Promise<{ code: unknown; told: string }> {
  const env = { ...process.env, PORT: '0', DATABASE_URL: ':memory:' };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: project, env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, told: stdout + stderr });
    });
  });
}

async function start(): Promise<Child> {
  const env = { ...process.env, PORT: '0', DATABASE_URL: ':memory:' };
  const listening = (line: string) => (line.includes('"listening"') ? line : undefined);
  const main = join(project, 'dist/server/main.js');
  const child = await startChild(process.execPath, [main], env, listening);
  children.push(child);
  return child;
}

const writeContract = (text: string) => writeFile(join(project, 'openapi.yaml'), text);

test.each(WITH_PLACES)('%s stops generate, lint and start', async (_, change, told) => {
  expect(change(CONTRACT)).not.toBe(CONTRACT);
  await writeContract(change(CONTRACT));
  expect(await run('npm', 'run', 'generate')).toEqual({
    code: 1,
    told: expect.stringMatching(told),
  });
  expect(await readdir(join(project, 'generated'))).toEqual([]);
  expect(await run('npm', 'run', 'lint:spec')).toEqual({
    code: 1,
    told: expect.stringMatching(told),
  });
  expect(await run('node', 'dist/server/main.js')).toEqual({
    code: 1,
    told: expect.stringMatching(new RegExp(`Roster did not start: ${told.source}`)),
  });
});

test('a contract that was changed since it was generated from, and has no fault, is served with a warning', async () => {
  await writeContract(
    CONTRACT.replace('summary: List all projects', 'summary: List every project'),
  );
  const { log } = await start();
  expect(log.join('\n')).toContain('npm run generate');
});

test('a start does not load what checks the contract, if nothing was changed', async () => {
  await rm(join(project, 'dist/server/contract/check'), { recursive: true });
  const { log } = await start();
  expect(log.join('\n')).not.toContain('npm run generate');
});

test('what was generated from another contract is found', async () => {
  await cp(pathOf('generated'), join(project, 'generated'), { recursive: true });
  await writeContract(
    CONTRACT.replace('summary: List all projects', 'summary: List every project'),
  );
  expect(await run('npm', 'run', 'generate:check')).toEqual({
    code: 1,
    told: expect.stringContaining('generated/contract.ts is not what openapi.yaml gives'),
  });
});
