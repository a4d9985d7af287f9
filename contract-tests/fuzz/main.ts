/**
 * `npm run fuzz`: sends requests that are generated from the contract to the built service, and reports the answers
 * that violate the contract.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scriptCommand, wholeNumberFrom } from '../../testkit/command-line.js';
import { startService } from '../../testkit/service/measured-service.js';
import { makeKeys } from '../../testkit/store/keys.js';
import { Findings, Tally } from './findings.js';
import { Fixture } from './fixture.js';
import { explore, searchRequests, searchSequences } from './search.js';

/** The number of concurrent requests. */
const LANES = 4;

interface Options {
  readonly requests: number;
  readonly seed?: number;
  readonly path?: string;
  readonly sequences?: true;
}

const command = scriptCommand('fuzz', 'Send requests that are generated from the contract.')
  .option(
    '--requests <n>',
    'the number of requests; each of four lanes completes the round that it has begun',
    wholeNumberFrom(1),
    100_000,
  )
  .option('--seed <n>', 'the first seed; random without it', wholeNumberFrom(0))
  .option('--path <path>', 'a single case of the seed, as given by a finding')
  .option('--sequences', 'the path belongs to a sequence of requests')
  .addHelpText('after', '\nExits with 1 if there are findings.')
  .parse();
const { requests, seed = Math.floor(Math.random() * 2 ** 31), path, sequences } = command.opts<Options>();
if (sequences && path === undefined) command.error('error: --sequences needs a --path');

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

/** Explores seed by seed, with its own owner, until enough requests were sent. */
async function run(name: string): Promise<void> {
  const fixture = new Fixture(server.url, await makeKeys(databaseUrl, name), tally, name);
  try {
    if (path === undefined) return await explore(fixture, findings, requests, () => nextSeed++);
    await fixture.prepare();
    const search = sequences ? searchSequences : searchRequests;
    await search(fixture, findings, seed, path);
  } finally {
    fixture.close();
  }
}
