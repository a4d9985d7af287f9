/** The command as it is run: in a repository of its own, with commits to compare with. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contract } from './small-contract.js';

const COMMAND = fileURLToPath(new URL('../../../dist/tools/review/main.js', import.meta.url));
const LOOK = '{/things: {get: {operationId: look, responses: {200: {description: a}}}}}';
const BOTH = LOOK.replace('{get:', '{delete: {operationId: drop, responses: {}}, get:');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-review-'));
  git('init', '--quiet', '--initial-branch', 'main');
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): void {
  const identity = [
    '-c',
    'user.name=a',
    '-c',
    'user.email=a@localhost',
    '-c',
    'commit.gpgsign=false',
  ];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
}

const write = (text: string) => writeFileSync(join(folder, 'openapi.yaml'), text);

function commit(text: string): void {
  write(text);
  git('add', 'openapi.yaml');
  git('commit', '--quiet', '--message', 'a change');
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

describe('the contract in the folder is compared', () => {
  test('with the commit that is named', () => {
    commit(contract(BOTH));
    git('tag', 'released');
    commit(contract(LOOK));
    commit(contract(LOOK, 'tags: []'));
    expect(run('released')).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('`released`'),
    });
    expect(run('HEAD^').status).toBe(0);
  });

  test('with where the branch left the main one, if nothing is named', () => {
    commit(contract(LOOK));
    git('switch', '--quiet', '--create', 'topic');
    commit(contract(BOTH));
    commit(contract(BOTH, 'tags: []'));
    const { status, stdout } = run();
    expect(stdout).toContain('1 addition');
    expect(stdout).toContain('where this branch left main');
    expect(status).toBe(0);
  });

  test('with the commit before, on the main branch', () => {
    commit(contract(BOTH));
    commit(contract(LOOK));
    expect(run()).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('the commit before'),
    });
  });

  test('as it is, committed or not', () => {
    commit(contract(BOTH));
    write(contract(LOOK));
    expect(run('HEAD').status).toBe(1);
  });
});

test('what breaks and is announced is no failure', () => {
  commit(contract(BOTH, '', '1.4.0'));
  write(contract(LOOK, '', '2.0.0'));
  const { status, stdout } = run('HEAD');
  expect(stdout).toContain('announced by the version');
  expect(status).toBe(0);
});

describe('wrong use ends with 2 and one line', () => {
  test.each([
    ['a commit that is not there', ['nowhere'], 'there is no commit nowhere'],
    ['what looks like an option of git', ['--', '--all'], 'there is no commit --all'],
    ['an option that is not there', ['--colour'], "unknown option '--colour'"],
    ['two commits', ['HEAD', 'HEAD'], 'too many arguments'],
    ['a commit before the first', [], 'there is no commit HEAD^'],
  ])('%s', (_, args, words) => {
    commit(contract(LOOK));
    const { status, stdout, stderr } = run(...args);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([status, stdout]).toEqual([2, '']);
  });

  test('no repository', () => {
    write(contract(LOOK));
    rmSync(join(folder, '.git'), { recursive: true });
    expect(run()).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('no git repository'),
    });
  });

  test('no contract at the commit', () => {
    git('commit', '--quiet', '--allow-empty', '--message', 'nothing yet');
    write(contract(LOOK));
    expect(run('HEAD')).toMatchObject({
      status: 2,
      stderr: 'error: there is no openapi.yaml at HEAD\n',
    });
  });

  test('no contract here', () => {
    git('commit', '--quiet', '--allow-empty', '--message', 'nothing yet');
    expect(run('HEAD').status).toBe(2);
  });

  test('a contract with a fault, in either version', () => {
    commit('paths: [');
    write(contract(LOOK));
    expect(run('HEAD').stderr).toMatch(/^error: openapi.yaml at HEAD, line 1: .*\n$/);
    commit(contract(LOOK));
    write('paths: [');
    expect(run('HEAD').stderr).toMatch(/^error: openapi.yaml, line 1: .*\n$/);
  });
});
