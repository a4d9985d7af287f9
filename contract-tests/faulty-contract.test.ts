/** Tests that a fault of the contract stops every command that uses it, and is reported with its position. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../testkit/root.js';
import { type Child, startChild } from '../testkit/service/child-process.js';

const CONTRACT = readFileSync(new URL('openapi.yaml', root), 'utf8');

/** A replacement in the contract, with the position of the fault (‸) and the expected message. */
interface Fault {
  from: string;
  to: string;
  message: string;
}

/** Examples are validated only against valid schemas. */
const FAULTS: Record<string, Fault[]> = {
  'an unknown reference, an operation without a handler, and a name of two operations': [
    {
      from: "'#/components/schemas/CreateSkillBody'",
      to: "‸'#/components/schemas/CreateSkilBody'",
      message: '$ref #/components/schemas/CreateSkilBody leads to nothing; is it misspelt?',
    },
    {
      from: 'operationId: getAgent\n',
      to: 'operationId: ‸copyAgent\n',
      message: 'the operation copyAgent has no handler; begin one in server/operations/',
    },
    {
      from: 'operationId: getChatbot\n',
      to: 'operationId: ‸getSkill\n',
      message: 'two operations are called getSkill; rename one of them',
    },
  ],
  'an example that breaks its schema': [
    {
      from: 'jewellery } }\n',
      to: '‸5 } }\n',
      message: 'the example breaks its schema: must be string',
    },
  ],
};

let project: string;
const children: Child[] = [];
beforeEach(async () => {
  project = await mkdtemp(join(tmpdir(), 'roster-faulty-'));
  for (const name of ['package.json', '.spectral.yaml', 'redocly.yaml', 'openapi.yaml']) {
    await cp(pathOf(name), join(project, name));
  }
  for (const part of ['server', 'prediction', 'generated', 'testkit/http', 'tools/generator']) {
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
function run(command: string, ...args: string[]): Promise<{ code: unknown; output: string }> {
  const env = { ...process.env, PORT: '0', DATABASE_URL: ':memory:' };
  return new Promise((resolve) => {
    execFile(command, args, { cwd: project, env }, (error, stdout, stderr) => {
      resolve({ code: error ? error.code : 0, output: stdout + stderr });
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

test.each(Object.entries(FAULTS))(
  '%s: generate and lint stop, and report the position',
  async (_, faults) => {
    const { text, reports } = faulty(faults);
    await writeContract(text);
    const answers = await Promise.all([
      run('npm', 'run', 'generate'),
      run('npm', 'run', 'lint:spec'),
    ]);
    for (const { code, output } of answers) {
      expect(code).toBe(1);
      for (const report of reports) expect(output).toContain(report);
    }
    expect(await readdir(join(project, 'generated'))).toEqual([]);
  },
);

test('a contract that has changed since the build stops the start, with one line', async () => {
  await writeContract(
    CONTRACT.replace('summary: List all projects', 'summary: List every project'),
  );
  expect(await run('node', 'dist/server/main.js')).toEqual({
    code: 1,
    output:
      'Roster did not start: openapi.yaml is not what the service was built from: npm run generate, then npm run build\n',
  });
});

test('the service starts with the contract that it was built from', async () => {
  const { log } = await start();
  expect(log.join('\n')).toContain('"listening"');
});

test('generate:check finds a module that was generated from another contract', async () => {
  await cp(pathOf('generated'), join(project, 'generated'), { recursive: true });
  await writeContract(
    CONTRACT.replace('summary: List all projects', 'summary: List every project'),
  );
  expect(await run('npm', 'run', 'generate:check')).toEqual({
    code: 1,
    output: expect.stringContaining('generated/contract.ts is not what openapi.yaml gives'),
  });
});
