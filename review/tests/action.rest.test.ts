/** Tests of `action.yml`: its steps run in bash as GitHub runs them, on a pull request of a repository. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import * as v from 'valibot';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../testkit/root.js';
import { contract } from './small-contract.js';

const action = v.parse(
  v.object({
    inputs: v.record(v.string(), v.object({ description: v.string(), default: v.string() })),
    runs: v.object({
      using: v.literal('composite'),
      steps: v.array(
        v.object({
          id: v.optional(v.string(), ''),
          shell: v.literal('bash'),
          'working-directory': v.optional(v.string(), '.'),
          env: v.record(v.string(), v.string()),
          run: v.string(),
        }),
      ),
    }),
  }),
  load(readFileSync(new URL('action.yml', root), 'utf8')),
);

const LOOK = '{/things: {get: {operationId: look, responses: {200: {description: a}}}}}';
const BOTH = LOOK.replace('{get:', '{delete: {operationId: drop, responses: {}}, get:');

/** Stands in for GitHub's command line: records its arguments, and finds the comments that the test says. */
const GH = `#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$RUNNER_TEMP/calls"
case "$*" in
  *'--field body=@'*) cp "$(sed 's/.*body=@//' <<< "$*")" "$RUNNER_TEMP/body" ;;
  *) printf %s "$FOUND" ;;
esac
`;

let folder: string;
let workspace: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-action-'));
  workspace = join(folder, 'workspace');
  for (const name of ['workspace', 'temp', 'bin']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'bin/gh'), GH);
  chmodSync(join(folder, 'bin/gh'), 0o755);
  git('init', '--quiet', '--initial-branch', 'main');
});
afterEach(() => rmSync(folder, { recursive: true }));

function git(...args: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@localhost'];
  const options = [...identity, '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...options, ...args], { cwd: workspace, stdio: 'ignore' });
}

/** Makes a pull request, and checks out its merge as actions/checkout does. */
function pullRequest(before: string, after: string | undefined): void {
  const file = join(workspace, 'openapi.yaml');
  writeFileSync(file, before);
  git('add', '.');
  git('commit', '--quiet', '--message', 'Begin');
  git('switch', '--quiet', '--create', 'topic');
  if (after === undefined) rmSync(file);
  else writeFileSync(file, after);
  git('add', '--all', '.');
  git('commit', '--quiet', '--allow-empty', '--message', '::error::Change `it`');
  git('switch', '--quiet', '--detach', 'main');
  git('merge', '--quiet', '--no-ff', 'topic', '--message', 'Merge topic into main');
}

interface Setting {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly from?: string;
  /** The output of the search for earlier comments. */
  readonly found?: string;
}

/** Runs the steps until one fails. */
function runAction({ inputs = {}, from = 'owner/things', found = '' }: Setting = {}) {
  const values = new Map([
    ...Object.entries(action.inputs).map(([name, one]) => [`inputs.${name}`, one.default] as const),
    ...Object.entries(inputs).map(([name, value]) => [`inputs.${name}`, value] as const),
    ['github.token', 'secret'],
    ['github.event.pull_request.number', '7'],
    ['github.event.pull_request.head.repo.full_name', from],
  ]);
  const evaluated = (text: string): string =>
    text.replace(/\$\{\{ (\S+) \}\}/g, (_, name: string) => {
      const value = values.get(name);
      if (value === undefined) throw new Error(`the test knows no ${name}`);
      return evaluated(value);
    });
  const temp = join(folder, 'temp');
  let log = '';
  for (const { id, run, env, ...step } of action.runs.steps) {
    const output = join(temp, 'output');
    writeFileSync(output, '');
    const { status, stdout, stderr } = spawnSync('bash', ['--noprofile', '--norc', '-e', '-o', 'pipefail', '-c', run], {
      cwd: join(workspace, evaluated(step['working-directory'])),
      encoding: 'utf8',
      env: {
        PATH: `${join(folder, 'bin')}${delimiter}${process.env.PATH ?? ''}`,
        RUNNER_TEMP: temp,
        GITHUB_ACTION_PATH: fileURLToPath(root),
        GITHUB_OUTPUT: output,
        GITHUB_STEP_SUMMARY: join(temp, 'summary'),
        GITHUB_REPOSITORY: 'owner/things',
        FOUND: found,
        ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, evaluated(text)])),
      },
    });
    log += stdout + stderr;
    for (const [, name, value] of readFileSync(output, 'utf8').matchAll(/^(\w+)=(.*)$/gm)) {
      values.set(`steps.${id}.outputs.${name}`, value ?? '');
    }
    if (status !== 0) return { status, log, ...written(temp) };
  }
  return { status: 0, log, ...written(temp) };
}

function written(temp: string) {
  const read = (name: string) => (existsSync(join(temp, name)) ? readFileSync(join(temp, name), 'utf8') : '');
  return { summary: read('summary'), calls: read('calls'), body: read('body') };
}

test('no step puts a value into its commands', () => {
  for (const { run } of action.runs.steps) expect(run).not.toContain('${{');
});

describe('the action', () => {
  test('comments on a change that breaks, and fails', () => {
    pullRequest(contract(BOTH), contract(LOOK));
    const { status, summary, calls, body } = runAction();
    expect(status).toBe(1);
    expect(summary).toContain('1 breaking change, which the version does not announce');
    expect(summary).toContain('Merge topic into main');
    expect(body).toMatch(/^<!-- spec:review [0-9a-f]+ -->\n## What this does to clients\n/);
    expect(calls).toMatch(/--method POST repos\/owner\/things\/issues\/7\/comments --field/);
  });

  test('renews the comment that is there, also if nothing changed any more', () => {
    pullRequest(contract(LOOK), contract(LOOK));
    const { status, calls, body } = runAction({ found: '41\n42\n' });
    expect(status).toBe(0);
    expect(body).toContain('**Nothing changed.**');
    expect(calls).toMatch(/--method PATCH repos\/owner\/things\/issues\/comments\/41 --field/);
    expect(calls).not.toContain('POST');
  });

  test('writes no comment if nothing changed', () => {
    pullRequest(contract(LOOK), contract(LOOK));
    const { status, summary, body } = runAction();
    expect([status, body]).toEqual([0, '']);
    expect(summary).toContain('**Nothing changed.**');
  });

  test('says that the contract is deleted, and fails', () => {
    pullRequest(contract(LOOK), undefined);
    const { status, body, log } = runAction();
    expect(status, log).toBe(3);
    expect(body).toContain('**The contract is deleted: every client breaks.**');
  });

  test('says where a contract cannot be read, and no text of it becomes a command', () => {
    pullRequest(contract(LOOK), 'openapi: 3.1.0\n"::error::x": [\n');
    const { status, body, log } = runAction();
    expect(status).toBe(3);
    expect(body).toContain('**The contract cannot be read.** `openapi.yaml, line 3: ');
    const [, pause] = /^::stop-commands::(\S+)$/m.exec(log) ?? [];
    expect(log.split('\n')).toContain(`::${pause}::`);
  });

  test('fails without a comment if there is nothing to compare with', () => {
    pullRequest(contract(LOOK), contract(BOTH));
    const { status, log, calls } = runAction({ inputs: { base: '--output=x' } });
    expect([status, calls]).toEqual([2, '']);
    expect(log).toContain('there is no commit --output=x');
  });

  test('does not comment from a fork, or if an input forbids it', () => {
    pullRequest(contract(LOOK), contract(BOTH));
    const fork = runAction({ from: 'else/things' });
    expect([fork.status, fork.calls]).toEqual([0, '']);
    expect(fork.log).toContain('A pull request from a fork may not comment');
    expect(fork.summary).toContain('1 addition');
    expect(runAction({ inputs: { comment: 'false' } }).calls).toBe('');
  });

  test('reviews a contract of another name, in another folder', () => {
    mkdirSync(join(workspace, 'api'));
    writeFileSync(join(workspace, 'api/a; b.yaml'), contract(LOOK));
    pullRequest(contract(LOOK), contract(LOOK));
    writeFileSync(join(workspace, 'api/a; b.yaml'), contract(BOTH));
    const { status, body } = runAction({ inputs: { contract: 'a; b.yaml', 'working-directory': 'api' } });
    expect(status).toBe(0);
    expect(body).toContain('1 addition');
  });
});
