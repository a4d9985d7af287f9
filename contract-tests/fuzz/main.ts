/**
 * Sends 100,000 requests that are generated from the contract to the built service, and reports the answers
 * that violate the contract. The exit code is 1 if there are findings, and 2 if an argument is invalid.
 *
 * usage: npm run fuzz [-- --requests N] [--seed N [--path P [--sequences]]]
 *
 * --requests  the number of requests; each of four lanes completes the round that it has begun (100000)
 * --seed      the first seed (a random number)
 * --path      a single case of the seed, as given by a finding, instead of all cases
 * --sequences the path belongs to a sequence of requests
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../../testkit/service/measured-service.js';
import { makeKeys } from '../../testkit/store/keys.js';
import { Findings } from './checks/findings.js';
import { explore } from './explore.js';
import { Fixture } from './fixture.js';
import { searchRequests } from './search.js';
import { searchSequences } from './sequences/search.js';
import { Tally } from './tally.js';

/** The number of concurrent requests. */
const LANES = 4;

const { wanted, seed, path, sequences } = readArguments();
const findings = new Findings();
const tally = new Tally();
let nextSeed = seed;

const folder = await mkdtemp(join(tmpdir(), 'roster-fuzz-'));
const databaseUrl = `file:${join(folder, 'roster.db')}`;
const server = await startService(folder, databaseUrl, { RATE_LIMIT: '0' });
const begun = performance.now();
try {
  const lanes = path === undefined ? LANES : 1;
  await Promise.all(Array.from({ length: lanes }, (_, lane) => run(`fuzz${lane}`)));
} finally {
  await server.stop();
  await rm(folder, { recursive: true });
}
const seconds = (performance.now() - begun) / 1000;
process.stdout.write(`${tally.table()}

${tally.requests} requests in ${seconds.toFixed(0)} s, ${(tally.requests / seconds).toFixed(0)} a second; seed ${seed}
${findings.count} findings
${findings.report()}
`);
if (findings.count > 0) process.exitCode = 1;

/** Explores seed by seed, with an owner of its own, until enough requests were sent. */
async function run(name: string): Promise<void> {
  const fixture = new Fixture(server.url, await makeKeys(databaseUrl, name), tally, name);
  try {
    if (path === undefined) return await explore(fixture, findings, wanted, () => nextSeed++);
    await fixture.prepare();
    const search = sequences ? searchSequences : searchRequests;
    await search(fixture, findings, seed, path);
  } finally {
    fixture.close();
  }
}

/** Parses the command line. If it is invalid, prints the reason and exits with 2. */
function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        requests: { type: 'string', default: '100000' },
        seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
        path: { type: 'string' },
        sequences: { type: 'boolean', default: false },
      },
    });
    const { path, sequences } = values;
    if (sequences && path === undefined) throw new Error('--sequences needs a --path');
    const wanted = wholeNumber('--requests', values.requests, 1);
    return { wanted, seed: wholeNumber('--seed', values.seed, 0), path, sequences };
  } catch (error) {
    process.stderr.write(`npm run fuzz: ${error instanceof Error ? error.message : error}\n`);
    process.exit(2);
  }
}

/** @throws {Error} if the text is not a whole number, or is below `least` */
function wholeNumber(name: string, text: string, least: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least) return number;
  throw new Error(`${name} must be a whole number from ${least}, not "${text}"`);
}
