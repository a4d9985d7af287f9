/**
 * Sends 100,000 requests that are made from the contract to the built service, and tells what of the answers
 * is not as the contract promises. The exit code is 1 if there is anything.
 *
 * usage: npm run fuzz [-- --requests N] [--seed N [--path P [--sequences]]]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../../harness/service.js';
import { makeKeys } from '../targets/keys.js';
import { explore } from './explore.js';
import { Findings } from './findings.js';
import { searchRequests } from './search.js';
import { searchSequences } from './sequences/search.js';
import { Tally } from './tally.js';
import { World } from './world.js';

/** How many requests are under way at once. */
const LANES = 4;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    path: { type: 'string' },
    sequences: { type: 'boolean', default: false },
  },
});
const wanted = Number(values.requests);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const findings = new Findings();
const tally = new Tally();
let nextSeed = seed;

const folder = await mkdtemp(join(tmpdir(), 'roster-fuzz-'));
const databaseUrl = `file:${join(folder, 'roster.db')}`;
const server = await startService(folder, databaseUrl, { RATE_LIMIT: '0' });
const begun = performance.now();
try {
  const worlds: World[] = [];
  // One after the other: SQLite waits for a lock in the calling thread, and so for ever for this thread's own.
  for (let lane = 0; lane < (values.path === undefined ? LANES : 1); lane += 1) {
    const name = `fuzz${lane}`;
    worlds.push(new World(server.url, await makeKeys(databaseUrl, name), tally, name));
  }
  await Promise.all(worlds.map(run));
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
async function run(world: World): Promise<void> {
  try {
    if (values.path === undefined) return await explore(world, findings, wanted, () => nextSeed++);
    await world.prepare();
    const search = values.sequences ? searchSequences : searchRequests;
    await search(world, findings, seed, values.path);
  } finally {
    world.close();
  }
}
