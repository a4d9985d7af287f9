/** Tests of `--changelog`, in a separate folder. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { contract } from './small-contract.js';

const COMMAND = fileURLToPath(new URL('../../dist/review/src/main.js', import.meta.url));
const LOOK =
  '{/things: {get: {operationId: look, summary: Look <at> it, tags: [things], responses: {200: {description: a}}}}}';
const BOTH = LOOK.replace('{get:', '{delete: {operationId: drop, responses: {}}, get:');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roster-changelog-'));
  mkdirSync(join(folder, 'docs/contract'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = () => join(folder, 'docs/contract/CHANGELOG.md');
const release = (name: string, text: string) => writeFileSync(join(folder, 'docs/contract', `${name}.yaml`), text);

function run(...args: string[]) {
  const { status, stderr } = spawnSync(process.execPath, [COMMAND, '--changelog', ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  return { status, stderr };
}

test('the first version lists its operations, and the next ones their changes, newest first', () => {
  release('1.10.0', contract(BOTH, '', '1.10.0'));
  release('1.9.0', contract(LOOK, '', '1.9.0'));
  writeFileSync(join(folder, 'CHANGELOG.md'), '## 1.10.0, unreleased\n\n## 1.9.0, 2026-11-23\n');
  expect(run('--check').status).toBe(1);
  expect(existsSync(file())).toBe(false);
  expect(run().status).toBe(0);
  const text = readFileSync(file(), 'utf8');
  expect(text.match(/^##+ .*/gm)).toEqual(['## 1.10.0', '### Added (1)', '## 1.9.0 (2026-11-23)', '### things']);
  expect(text).toContain('Compared with 1.9.0: nothing breaks, 1 addition.');
  expect(text).toContain('- `look` `GET /things`: Look \\<at\\> it\n');
  expect(run('--check').status).toBe(0);
  release('1.10.0', contract(LOOK, '', '1.10.0'));
  expect(run('--check')).toMatchObject({ status: 1, stderr: expect.stringContaining('not up to') });
});

test('without a released contract, nothing is written', () => {
  expect(run()).toEqual({ status: 0, stderr: 'no contract is released yet: docs/contract has none\n' });
  expect(existsSync(file())).toBe(false);
});

test('a contract of another version than its file is refused, and nothing is written', () => {
  release('1.0.0', contract(LOOK, '', '1.1.0'));
  expect(run()).toEqual({
    status: 3,
    stderr: expect.stringMatching(
      /^error: docs\/contract\/1\.0\.0\.yaml:\d+:\d+: info\.version is 1\.1\.0; name the file 1\.1\.0\.yaml/,
    ),
  });
  expect(existsSync(file())).toBe(false);
});
