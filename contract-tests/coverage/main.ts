/**
 * `npm run coverage:contract`: reports which promises of the contract the tests have exercised, and fails if
 * one is missing.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { allOperations, contract } from '../../testkit/openapi/document.js';
import { root } from '../../testkit/root.js';
import { compare } from './compare.js';
import { matrix } from './matrix.js';
import { promises } from './promises.js';
import { REASONS } from './reasons.js';
import { RECORDED, readRecords } from './records.js';

const top = fileURLToPath(root);

const exercised = readRecords(lastChange()) ?? testAndRead();
const promised = promises(contract, allOperations);
const comparison = compare(promised, exercised, REASONS);
process.stdout.write(`${matrix(promised, exercised, comparison)}\n`);
const { gaps, needless, stale } = comparison;
if (gaps.length + needless.length + stale.length > 0) process.exitCode = 1;

/** Runs the tests, if no recorded run is as recent as the contract and the tests. */
function testAndRead(): Set<string> {
  const projects = RECORDED.flatMap((name) => ['--project', name]);
  const { status } = spawnSync('npx', ['vitest', 'run', ...projects], {
    cwd: top,
    stdio: 'inherit',
  });
  if (status !== 0) process.exit(1);
  const records = readRecords(Number.NEGATIVE_INFINITY);
  if (records === undefined) throw new Error('The tests have left no records');
  return records;
}

/** Returns when the contract or a test last changed, in milliseconds. */
function lastChange(): number {
  const files = [
    'server',
    'contract-tests',
    'examples/demo',
    'testkit',
    'tools',
    'client/src',
  ].flatMap((folder) =>
    readdirSync(`${top}${folder}`, { recursive: true, encoding: 'utf8' }).map(
      (name) => `${folder}/${name}`,
    ),
  );
  const tests = files.filter(
    (name) =>
      name.endsWith('.test.ts') ||
      (name.endsWith('.ts') && /^contract-tests\/(?!coverage\/)/.test(name)),
  );
  return Math.max(...['openapi.yaml', ...tests].map((name) => statSync(top + name).mtimeMs));
}
