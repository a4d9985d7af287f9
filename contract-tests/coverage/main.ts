/**
 * `npm run coverage:contract`: reports which promises of the contract the tests have exercised, and fails if one is
 * missing, or is missing in `npm test` without a reason.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { scriptCommand } from '../../testkit/command-line.js';
import { allOperations, contract } from '../../testkit/openapi/document.js';
import { root } from '../../testkit/root.js';
import { compare } from './compare.js';
import { matrix, matrixOfTheRest } from './matrix.js';
import { promises } from './promises.js';
import { REASONS, REASONS_OF_THE_REST } from './reasons.js';
import { findOutdated, RECORDED, readRecords, readState } from './records.js';

scriptCommand('coverage:contract', 'List which promises of the contract the tests exercise.').parse();

runWhatIsMissing();
const promised = promises(contract, allOperations);
const exercised = readRecords(Object.keys(RECORDED));
const all = compare(promised, exercised, REASONS);
process.stdout.write(`${matrix(promised, exercised, all)}\n`);

const ofTest = Object.keys(RECORDED).filter((project) => RECORDED[project] === 'test');
const quick = compare(promised, readRecords(ofTest), [...REASONS, ...REASONS_OF_THE_REST]);
process.stdout.write(`${matrixOfTheRest(quick, all)}\n`);

const wrong = [all, quick].flatMap(({ gaps, needless, stale }) => [...gaps, ...needless, ...stale]);
if (wrong.length > 0) process.exitCode = 1;

/** Runs the commands whose tests have left no records of the tree as it is. */
function runWhatIsMissing(): void {
  for (const script of new Set(Object.values(RECORDED))) {
    const projects = Object.keys(RECORDED).filter((project) => RECORDED[project] === script);
    const [reason] = projects.flatMap((project) => findOutdated(project, readState()) ?? []);
    if (reason === undefined) continue;
    process.stderr.write(`No whole run of "npm run ${script}" is recorded, since ${reason}: it runs now.\n`);
    const { status } = spawnSync('npm', ['run', script], { cwd: fileURLToPath(root), stdio: 'inherit' });
    if (status !== 0) process.exit(1);
  }
}
