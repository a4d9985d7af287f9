/**
 * `npm run coverage:contract`: reports which promises of the contract the tests have exercised, and fails if
 * one is missing.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scriptCommand } from '../../testkit/command-line.js';
import { allOperations, contract } from '../../testkit/openapi/document.js';
import { root } from '../../testkit/root.js';
import { compare } from './compare.js';
import { matrix } from './matrix.js';
import { promises } from './promises.js';
import { REASONS } from './reasons.js';
import { findOutdated, RECORDED, readRecords, readState } from './records.js';

scriptCommand('coverage:contract', 'List which promises of the contract the tests exercise.').parse();

const exercised = readAll();
const promised = promises(contract, allOperations);
const comparison = compare(promised, exercised, REASONS);
process.stdout.write(`${matrix(promised, exercised, comparison)}\n`);
const { gaps, needless, stale } = comparison;
if (gaps.length + needless.length + stale.length > 0) process.exitCode = 1;

/** Returns what all tests have exercised. Runs those first that have no records of the tree as it is. */
function readAll(): Set<string> {
  const projects = Object.entries(RECORDED);
  for (const script of new Set(Object.values(RECORDED))) {
    const ofScript = projects.filter(([, other]) => other === script).map(([project]) => project);
    const reasons = ofScript.flatMap((project) => findOutdated(project, readState()) ?? []);
    if (reasons.length === 0) continue;
    process.stderr.write(`No whole run of "npm run ${script}" is recorded, since ${reasons[0]}: it runs now.\n`);
    const { status } = spawnSync('npm', ['run', script], { cwd: fileURLToPath(root), stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
  return new Set(projects.flatMap(([project]) => [...readRecords(project)]));
}
