/** Tests of the command, in its own repository with commits to compare with. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { contract } from './small-contract.js';

const COMMAND = fileURLToPath(new URL('../../dist/review/src/main.js', import.meta.url));
const LOOK = '{/things: {get: {operationId: look, responses: {200: {description: a}}}}}';
const BOTH = LOOK.replace('{get:', '{delete: {operationId: drop, responses: {}}, get:');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-review-'));
  git('init', '--quiet', '--initial-branch', 'main');
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@localhost', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...identity, ...args], { cwd: folder, stdio: 'ignore' });
}

const write = (text: string) => writeFileSync(join(folder, 'openapi.yaml'), text);

function commit(text: string, subject = 'a change'): void {
  write(text);
  git('add', 'openapi.yaml');
  git('commit', '--quiet', '--message', subject);
}

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [COMMAND, ...args], { cwd: folder, encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('spec:review compares the contract in the folder', () => {
  test('as text to its end, where Markdown is cut to the size of a comment', () => {
    commit(contract(LOOK));
    const operations = Array.from(
      { length: 900 },
      (_, index) => `/things/${index}: {get: {operationId: look_${index}, responses: {}}}`,
    );
    write(contract(LOOK.replace(/\}$/, `, ${operations.join(', ')}}`)));
    expect(run('HEAD').stdout).toContain('There is more: ');
    const { stdout } = run('HEAD', '--format', 'text');
    expect(stdout.match(/^- operation added$/gm)).toHaveLength(900);
  });

  test('as text for a terminal, with an item for each change', () => {
    commit(contract(BOTH));
    write(contract(LOOK));
    const { stdout } = run('HEAD', '--format', 'text');
    expect(stdout).toContain('\nBreaks clients that call (1)\n\n- operation removed\n  drop, at /paths/');
    expect(stdout).not.toMatch(/[`|<*#]/);
    expect(run('HEAD').stdout).toContain('### Breaks clients that call (1)');
  });

  test('with the named commit', () => {
    commit(contract(BOTH));
    git('tag', 'released');
    commit(contract(LOOK));
    commit(contract(LOOK, 'tags: []'));
    expect(run('released')).toMatchObject({ status: 1, stdout: expect.stringContaining('(released)`') });
    expect(run('HEAD^').status).toBe(0);
  });

  test('with the commit where the branch left main, if none is named', () => {
    commit(contract(LOOK));
    git('switch', '--quiet', '--create', 'topic');
    commit(contract(BOTH));
    commit(contract(BOTH, 'tags: []'));
    const { status, stdout } = run();
    expect(stdout).toContain('1 addition');
    expect(stdout).toContain('where this branch left main');
    expect(status).toBe(0);
  });

  test('with the previous commit, on the main branch', () => {
    commit(contract(BOTH));
    commit(contract(LOOK));
    expect(run()).toMatchObject({ status: 1, stdout: expect.stringContaining('the commit before') });
  });

  test('and says by hash and subject which commits it compares', () => {
    commit(contract(BOTH), 'Begin');
    commit(contract(LOOK), 'Drop a thing');
    expect(run('HEAD^').stdout).toMatch(/Compares `[0-9a-f]{7,} Begin \(HEAD\^\)` with `[0-9a-f]{7,} Drop a thing`;/);
    write(contract(BOTH));
    expect(run('HEAD').stdout).toMatch(/with `the working tree, on [0-9a-f]{7,} Drop a thing`;/);
  });

  test('of another name', () => {
    commit(contract(LOOK));
    git('mv', 'openapi.yaml', 'api.yaml');
    git('commit', '--quiet', '--message', 'move');
    writeFileSync(join(folder, 'api.yaml'), contract(BOTH));
    expect(run('--contract', 'api.yaml', 'HEAD').stdout).toContain('1 addition');
  });

  test('including uncommitted changes', () => {
    commit(contract(BOTH));
    write(contract(LOOK));
    expect(run('HEAD').status).toBe(1);
    expect(run()).toMatchObject({ status: 1, stdout: expect.stringContaining('(the last commit)') });
  });
});

test('spec:review succeeds if the version announces the breaking changes', () => {
  commit(contract(BOTH, '', '1.4.0'));
  write(contract(LOOK, '', '2.0.0'));
  const { status, stdout } = run('HEAD');
  expect(stdout).toContain('announced by the version');
  expect(status).toBe(0);
});

describe('spec:review reads a contract of several files', () => {
  const ROOT = contract('{/things: {$ref: "paths/things.yaml"}}');
  const things = (type: string) =>
    `{get: {operationId: look, responses: {200: {content: {a/b: {schema: {type: ${type}}}}}}}}`;
  const writePart = (text: string) => {
    mkdirSync(join(folder, 'api/paths'), { recursive: true });
    writeFileSync(join(folder, 'api/openapi.yaml'), ROOT);
    writeFileSync(join(folder, 'api/paths/things.yaml'), text);
  };

  test('from the commit and from the working tree', () => {
    writePart(things('string'));
    git('add', 'api');
    git('commit', '--quiet', '--message', 'Begin');
    writePart(things('integer'));
    const { status, stdout } = run('HEAD', '--contract', 'api/openapi.yaml');
    expect(stdout).toContain('| type changed | `look 200 body`');
    expect(status).toBe(1);
  });

  test('and none from outside the repository, also not by a link', () => {
    writePart(things('string'));
    git('add', 'api');
    git('commit', '--quiet', '--message', 'Begin');
    rmSync(join(folder, 'api/paths/things.yaml'));
    symlinkSync(COMMAND, join(folder, 'api/paths/things.yaml'));
    expect(run('HEAD', '--contract', 'api/openapi.yaml')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('leads to a file that does not exist, or is outside the repository'),
    });
  });
});

describe('spec:review accepts a breaking change', () => {
  test('that a file of the repository gives a reason for', () => {
    commit(contract(BOTH));
    write(contract(LOOK));
    writeFileSync(join(folder, '.spec-review.yaml'), 'accepted: [{rule: operation-removed, at: drop, reason: unused}]');
    expect(run('HEAD')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('### Breaks, and is accepted (1)'),
    });
    expect(run('HEAD', '--accepted', 'none.yaml').status).toBe(1);
  });

  test('and refuses a file that it cannot read, with the place', () => {
    commit(contract(BOTH));
    writeFileSync(join(folder, '.spec-review.yaml'), 'accepted: [{rule: operation-removed}]');
    expect(run('HEAD')).toMatchObject({
      status: 3,
      stderr: expect.stringContaining('error: .spec-review.yaml: /accepted/0/reason: '),
    });
  });
});

describe('spec:review exits with 2 and one line for', () => {
  test.each([
    ['a commit that does not exist', ['nowhere'], 'there is no commit nowhere'],
    ['a commit that looks like an option of git', ['--', '--all'], 'there is no commit --all'],
    ['an unknown option', ['--colour'], "unknown option '--colour'"],
    ['two commits', ['HEAD', 'HEAD'], 'takes no "HEAD"; it takes commit, --contract'],
    ['a commit before the first', [], 'there is no commit HEAD^'],
  ])('%s', (_, args, words) => {
    commit(contract(LOOK));
    const { status, stdout, stderr } = run(...args);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect([status, stdout]).toEqual([2, '']);
  });

  test('a folder without a repository', () => {
    write(contract(LOOK));
    rmSync(join(folder, '.git'), { recursive: true });
    expect(run()).toMatchObject({ status: 2, stderr: expect.stringContaining('not a git repository') });
  });

  test('no contract in either version', () => {
    git('commit', '--quiet', '--allow-empty', '--message', 'nothing yet');
    expect(run('HEAD')).toMatchObject({
      status: 2,
      stderr: 'error: there is no openapi.yaml in this folder, and none at HEAD\n',
    });
  });
});

test('spec:review says that a contract is new, and succeeds', () => {
  git('commit', '--quiet', '--allow-empty', '--message', 'nothing yet');
  write(contract(LOOK));
  const { status, stdout } = run('HEAD');
  expect(stdout).toContain('**The contract is new: nothing to compare with.** `there is no');
  expect(status).toBe(0);
});

describe('spec:review exits with 3, and says so as a review, for', () => {
  test('a deleted contract', () => {
    commit(contract(LOOK));
    rmSync(join(folder, 'openapi.yaml'));
    const { status, stdout, stderr } = run('HEAD');
    expect(stdout).toContain('**The contract is deleted: every client breaks.**');
    expect([status, stderr]).toEqual([3, 'error: there is no openapi.yaml in this folder\n']);
  });

  test('a contract that cannot be read, in either version', () => {
    commit('paths: [');
    write(contract(LOOK));
    expect(run('HEAD')).toMatchObject({
      status: 3,
      stdout: expect.stringContaining('**The contract cannot be read.** `openapi.yaml at HEAD, line'),
      stderr: expect.stringMatching(/^error: openapi.yaml at HEAD, line 1: .*\n$/),
    });
    commit(contract(LOOK));
    write('paths: [');
    expect(run('HEAD')).toMatchObject({
      status: 3,
      stderr: expect.stringMatching(/^error: openapi.yaml, line 1: .*\n$/),
    });
  });
});
