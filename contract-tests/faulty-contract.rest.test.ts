/** Tests that a fault of the contract stops every command that uses it, and is reported with its position. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../testkit/root.js';

const CONTRACT = readFileSync(new URL('openapi.yaml', root), 'utf8');

/** A replacement in the contract, with the position of the fault (‸) and the expected message. */
interface Fault {
  from: string;
  to: string;
  message: string;
}

/** An unknown reference, an operation without a handler, and a name of two operations. */
const FAULTS: Fault[] = [
  {
    from: "'#/components/schemas/CreateSkillBody'",
    to: "‸'#/components/schemas/CreateSkilBody'",
    message:
      '$ref #/components/schemas/CreateSkilBody leads to nothing; correct the name to CreateSkillBody, or add what it refers to',
  },
  {
    from: 'operationId: getAgent\n',
    to: 'operationId: ‸copyAgent\n',
    message: 'the operation copyAgent has no handler; begin one in server/',
  },
  {
    from: 'operationId: getChatbot\n',
    to: 'operationId: ‸getSkill\n',
    message: 'two operations are called getSkill; rename one of them',
  },
];

/** Parts of `dist/` that the service and the generator need. */
const PARTS = ['contract', 'server', 'generated', 'openapi', 'testkit', 'tools/generator'];

let project: string;
beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'roster-faulty-'));
  for (const name of ['package.json', 'openapi.yaml']) {
    await cp(pathOf(name), join(project, name));
  }
  for (const part of PARTS) {
    await cp(pathOf(`dist/${part}`), join(project, 'dist', part), { recursive: true });
  }
  await mkdir(join(project, 'generated'));
  await symlink(pathOf('node_modules'), join(project, 'node_modules'));
  await symlink(pathOf('server'), join(project, 'server'));
  await symlink(pathOf('docs'), join(project, 'docs'));
});
afterAll(() => rm(project, { recursive: true }));

const pathOf = (name: string) => fileURLToPath(new URL(name, root));

/** Runs a command of the project until it ends. */
function run(command: string, ...args: string[]): Promise<{ code: unknown; output: string }> {
  const env = { ...process.env, PORT: '0', DATABASE_URL: ':memory:' };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: project, env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, output: stdout + stderr });
    });
  });
}

const writeContract = (text: string) => writeFile(join(project, 'openapi.yaml'), text);

/** Returns the contract with some faults, and the expected report of each with its position. */
function faulty(faults: readonly Fault[]): { text: string; reports: string[] } {
  let marked = CONTRACT;
  for (const { from, to } of faults) marked = marked.replace(from, to);
  const reports = faults.map((fault) => {
    const start = marked.indexOf(fault.to) + fault.to.indexOf('‸');
    const lines = marked.slice(0, start).replaceAll('‸', '').split('\n');
    return `openapi.yaml:${lines.length}:${(lines.at(-1) ?? '').length + 1}: ${fault.message}\n`;
  });
  return { text: marked.replaceAll('‸', ''), reports };
}

test('generate stops at faults, and reports their positions', async () => {
  const { text, reports } = faulty(FAULTS);
  await writeContract(text);
  const { code, output } = await run('npm', 'run', 'generate');
  expect(code).toBe(1);
  for (const report of reports) expect(output).toContain(report);
  expect(await readdir(join(project, 'generated'))).toEqual([]);
});

test('a contract that has changed since the build stops the start, with one line', async () => {
  await writeContract(CONTRACT.replace('summary: List all projects', 'summary: List every project'));
  expect(await run('node', 'dist/server/main.js')).toEqual({
    code: 1,
    output:
      'Roster did not start: openapi.yaml is not what the service was built from: npm run generate, then npm run build\n',
  });
});

test('generate:check finds modules that were generated from another contract', async () => {
  await cp(pathOf('generated'), join(project, 'generated'), { recursive: true });
  await writeContract(CONTRACT.replaceAll('name: jewellery', 'name: watches'));
  const { code, output } = await run('npm', 'run', 'generate:check');
  expect(code).toBe(1);
  for (const name of ['contract', 'examples'])
    expect(output).toContain(`generated/${name}.ts is not what openapi.yaml and docs/ give`);
});
