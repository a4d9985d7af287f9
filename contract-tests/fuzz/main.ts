/**
 * Sends 100,000 requests that are made from the contract to the built service, and tells what of the answers
 * is not as the contract promises. The exit code is 1 if there is anything, and 2 if an argument is wrong.
 *
 * usage: npm run fuzz [-- --requests N] [--seed N [--path P [--sequences]]]
 *
 * --requests  how many requests to send; each of four lanes ends the round that it has begun (100000)
 * --seed      where to begin (a random number)
 * --path      one case of a seed, as a finding names it, in place of all of them
 * --sequences the path is that of a sequence of requests
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../../testkit/service/measured-service.js';
import { makeKeys } from '../../testkit/store/keys.js';
import { Findings } from './checks/findings.js';
import { explore } from './explore.js';
import { World } from './fixture.js';
import { searchRequests } from './search.js';
import { searchSequences } from './sequences/search.js';
import { Tally } from './tally.js';

/** How many requests are under way at once. */
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
${findings.told()}
`);
if (findings.count > 0) process.exitCode = 1;

/** Goes from seed to seed, as an owner of its own, until enough was asked. */
async function run(name: string): Promise<void> {
  const world = new World(server.url, await makeKeys(databaseUrl, name), tally, name);
  try {
    if (path === undefined) return await explore(world, findings, wanted, () => nextSeed++);
    await world.prepare();
    const search = sequences ? searchSequences : searchRequests;
    await search(world, findings, seed, path);
  } finally {
    world.close();
  }
}

/** Reads the command line. If it is wrong, says so and ends the process with 2. */
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
