/** Tests that `npm test` and `npm run test:rest` run all tests, once on each store, and that `npm test` stays quick. */
import { execFile } from 'node:child_process';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import { root } from '../testkit/root.js';
import { listFiles } from './list-files.js';
import { readImports } from './read-imports.js';

const TOP = fileURLToPath(root);
const OWN = ['contract', 'contract-tests', 'prediction/src', 'review', 'server', 'testkit', 'tools'];
const FOLDERS = ['bench', 'client/src', 'examples', ...OWN];
const ELSEWHERE = /\.on-demand\.test\.ts$/;

/** The projects of `npm test`, and those of `npm run test:rest`. */
const quick = projectsIn(packageJson.scripts.test);
const rest = projectsIn(packageJson.scripts['test:rest']);

const imports = readImports(FOLDERS.flatMap((folder) => listFiles(folder, /\.tsx?$/)));

/** The projects of each test file. */
const projects = new Map<string, string[]>();
beforeAll(async () => {
  const list = ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, list, { cwd: TOP, maxBuffer: 2 ** 24 });
  const listed: { file: string; projectName: string }[] = JSON.parse(stdout);
  for (const { file, projectName } of listed) {
    const path = relative(TOP, file).replaceAll('\\', '/');
    projects.set(path, [...(projects.get(path) ?? []), projectName]);
  }
});

test('each file of tests is in a project, or in those of `npm run test:on-demand`', () => {
  expect(
    listFiles('.', /\.(test|spec)\.[cm]?[jt]sx?$/).filter((path) => !projects.has(path) && !ELSEWHERE.test(path)),
  ).toEqual([]);
});

test('each project is in one of the two commands', () => {
  expect([...quick, ...rest].sort()).toEqual([...new Set([...projects.values()].flat())].sort());
});

test('no file is in both commands, except to run on PostgreSQL in the second', () => {
  const ofRest = [...projects].filter(([, names]) => names.includes('rest'));
  expect(ofRest.map(([path]) => path).filter(isQuick)).toEqual([]);
});

test.each([
  ['a browser', 'testkit/browser.ts', 'contract-tests/console/train.test.ts'],
  ['PostgreSQL', 'testkit/store/postgres-database.ts', 'contract-tests/cluster/promises.test.ts'],
])('no file of `npm test` starts %s, except one that shows the way to it', (_, module, shown) => {
  const reaches = (from: string, seen = new Set<string>()): boolean => {
    if (from === module) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (imports.get(from) ?? []).some((target) => reaches(target, seen));
  };
  // Those that run on each store start PostgreSQL where they run on it.
  const files = [...projects.keys()].filter((path) => isQuick(path) && !path.includes('.stores.'));
  expect(files.filter((path) => reaches(path))).toEqual([shown]);
});

const isQuick = (path: string) => (projects.get(path) ?? []).some((name) => quick.includes(name));

function projectsIn(script: string): string[] {
  return [...script.matchAll(/--project (\w+)/g)].map(([, name = '']) => name);
}
