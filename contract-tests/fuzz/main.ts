/**
 * Sends 100,000 requests that are made from the contract to the built service, and tells what of the answers
 * is not as the contract promises. The exit code is 1 if there is anything.
 *
 * usage: npm run fuzz [-- --requests N] [--seed N [--path P]]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startService } from '../../harness/service.js';
import { makeKeys } from '../targets/keys.js';
import { Search, told } from './search.js';
import { Tally } from './tally.js';
import { World } from './world.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string' },
    path: { type: 'string' },
  },
});
const wanted = Number(values.requests);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

const folder = await mkdtemp(join(tmpdir(), 'roster-fuzz-'));
const databaseUrl = `file:${join(folder, 'roster.db')}`;
const keys = await makeKeys(databaseUrl);
const server = await startService(folder, databaseUrl, { RATE_LIMIT: '0' });
const tally = new Tally();
const world = new World(server.url, keys, tally, 'fuzz');
const search = new Search(world);
const begun = performance.now();
try {
  await world.prepare();
  if (values.path !== undefined) await search.round(seed, values.path);
  for (let next = seed; values.path === undefined && tally.requests < wanted; next += 1) {
    await search.round(next);
    const rounds = next - seed + 1;
    if (rounds % 20 === 0) {
      process.stderr.write(`${tally.requests} requests, ${search.findings.length} findings\n`);
    }
  }
} finally {
  world.close();
  await server.stop();
  await rm(folder, { recursive: true });
}
const seconds = (performance.now() - begun) / 1000;
process.stdout.write(`${tally.table()}

${tally.requests} requests in ${seconds.toFixed(0)} s, ${(tally.requests / seconds).toFixed(0)} a second; seed ${seed}
${search.findings.length} findings
${search.findings.map((finding) => `\n${told(finding)}\n`).join('')}`);
if (search.findings.length > 0) process.exitCode = 1;
