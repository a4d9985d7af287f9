/**
 * `npm run coverage:contract`: reports which promises of the contract the tests have exercised, and fails if
 * one is missing.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { scriptCommand } from '../../testkit/command-line.js';
import { allOperations, contract } from '../../testkit/openapi/document.js';
import { root } from '../../testkit/root.js';
import { compare } from './compare.js';
import { matrix } from './matrix.js';
import { promises } from './promises.js';
import { REASONS } from './reasons.js';
import { RECORDED, readRecords } from './records.js';

scriptCommand('coverage:contract', 'List which promises of the contract the tests exercise.').parse();

const top = fileURLToPath(root);

const changed = lastChange();
const exercised = readRecords(changed.at) ?? testAndRead(changed.name);
const promised = promises(contract, allOperations);
const comparison = compare(promised, exercised, REASONS);
process.stdout.write(`${matrix(promised, exercised, comparison)}\n`);
const { gaps, needless, stale } = comparison;
if (gaps.length + needless.length + stale.length > 0) process.exitCode = 1;

/**
 * Runs the tests, if no recorded run is as recent as the contract and the tests.
 * @param name the file that changed last
 */
function testAndRead(name: string): Set<string> {
  process.stderr.write(
    `No whole run of the tests is recorded since ${name} changed: they run now, as in npm test, for six to fifteen minutes.\n`,
  );
  const projects = RECORDED.flatMap((name) => ['--project', name]);
  const { status } = spawnSync('npx', ['vitest', 'run', ...projects], { cwd: top, stdio: 'inherit' });
  if (status !== 0) process.exit(1);
  const records = readRecords(Number.NEGATIVE_INFINITY);
  if (records === undefined) throw new Error('The tests have left no records');
  return records;
}

/** Returns which file of the contract and the tests changed last, and when, in milliseconds. */
function lastChange(): { readonly name: string; readonly at: number } {
  const files = ['server', 'contract-tests', 'examples/demo', 'testkit', 'tools', 'client/src'].flatMap((folder) =>
    readdirSync(`${top}${folder}`, { recursive: true, encoding: 'utf8' }).map((name) => `${folder}/${name}`),
  );
  const tests = files.filter(
    (name) => name.endsWith('.test.ts') || (name.endsWith('.ts') && /^contract-tests\/(?!coverage\/)/.test(name)),
  );
  return ['openapi.yaml', ...tests]
    .map((name) => ({ name, at: statSync(top + name).mtimeMs }))
    .reduce((last, one) => (one.at > last.at ? one : last));
}
