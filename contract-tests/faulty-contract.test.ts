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

/** Faults of the contract: what stands there in place of what, and what is told of it. */
const FAULTS: [what: string, from: string, to: string, told: string][] = [
  [
    'an unknown reference',
    "'#/components/schemas/CreateSkillBody'",
    "'#/components/schemas/CreateSkilBody'",
    '$ref #/components/schemas/CreateSkilBody leads to nothing; is it misspelt?',
  ],
  [
    'an example that breaks its schema',
    'jewellery } }\n',
    '5 } }\n',
    'the example breaks its schema: must be string',
  ],
  [
    'an operation without a handler',
    'getAgent\n',
    'copyAgent\n',
    'the operation copyAgent has no handler; begin one in server/operations/',
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

test.each(FAULTS)(
  '%s stops generate, lint and start, with its place',
  async (_, from, to, told) => {
    const at = CONTRACT.indexOf(from);
    const before = CONTRACT.slice(0, at).split('\n');
    const place = `openapi.yaml:${before.length}:${(before.at(-1) ?? '').length + 1}`;
    await writeContract(before.join('\n') + to + CONTRACT.slice(at + from.length));
    const [generate, lint, start] = await Promise.all([
      run('npm', 'run', 'generate'),
      run('npm', 'run', 'lint:spec'),
      run('node', 'dist/server/main.js'),
    ]);
    const stopped = { code: 1, told: expect.stringContaining(`${place}: ${told}\n`) };
    expect({ generate, lint, start }).toEqual({ generate: stopped, lint: stopped, start: stopped });
    expect(start.told).toMatch(/^Roster did not start: openapi\.yaml:\d+:\d+: /);
    expect(await readdir(join(project, 'generated'))).toEqual([]);
  },
);

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
