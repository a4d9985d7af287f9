/**
 * Runs the official conformance suite of MCP, for both revisions that it freezes: against the service, and against a
 * test build of it that has the fixtures which the suite calls by name. Then clients of others list and call, and its
 * suite for authorization servers and clients without a key connect. The client of agents runs the suite for clients,
 * and lists and calls servers of others. `conformance/` has what fails, and why.
 *
 * usage: npm run test:mcp, on Node.js 24 or newer, which mcporter needs
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from 'js-yaml';
import { pino } from 'pino';
import { createRosterClient } from 'roster-client';
import { readConfig } from '../../server/config.js';
import { answerMessage } from '../../server/mcp/protocol.js';
import { openService } from '../../server/service.js';
import { scriptCommand } from '../../testkit/command-line.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { root } from '../../testkit/root.js';
import { startServer } from '../../testkit/service/server-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { testClients } from './clients.js';
import { testAuthorization } from './conformance/authorization.js';
import { fixtureServer } from './conformance/fixtures.js';
import { testServers } from './servers.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];

/** The scenarios that fail, or single checks of them, such as `caching:some-check`. */
interface Failing {
  readonly need_fixtures: readonly string[];
  /** By the reason. */
  readonly left_out: Readonly<Record<string, readonly string[]>>;
}

scriptCommand('test:mcp', 'Run the conformance suite of MCP, and clients and servers of others.').parse();

const folder = await mkdtemp(join(tmpdir(), 'roster-mcp-'));
try {
  await withService((url) => testAll('the service', url, false));
  await withFixtures((url) => testAll('the test build with fixtures', url, true));
  await testClients();
  await testAuthorization();
  await testOwnClient();
  await testServers();
} finally {
  await rm(folder, { recursive: true });
}

async function withService(use: (url: string) => Promise<void>): Promise<void> {
  const server = await startServer({ env: { RATE_LIMIT: '0' } });
  try {
    // A tool to call by the name that the list has.
    const roster = createRosterClient({ baseUrl: server.url });
    await trainPrices(roster, { projectName: 'default', modelName: 'prices' });
    await use(server.url);
  } finally {
    await server.stop();
  }
}

/** Runs the service with the fixtures in place of the tools and resources of its projects. */
async function withFixtures(use: (url: string) => Promise<void>): Promise<void> {
  const config = readConfig({ DATABASE_URL: ':memory:', PORT: '0', RATE_LIMIT: '0' });
  const fixtures = fixtureServer();
  const service = await openService(config, pino({ level: 'warn' }), undefined, {
    callMcp: async (request) => request.reply(await answerMessage(request, fixtures)),
  });
  try {
    await use(await service.listen());
  } finally {
    await service.stop();
  }
}

async function testAll(what: string, url: string, hasFixtures: boolean): Promise<void> {
  for (const revision of REVISIONS) {
    const file = new URL(`contract-tests/mcp/conformance/${revision}.yaml`, root);
    const { need_fixtures, left_out } = load(await readFile(file, 'utf8')) as Failing;
    const leftOut = Object.values(left_out).flat();
    const failing = [...leftOut, ...(hasFixtures ? [] : need_fixtures)];
    process.stdout.write(`\n${revision}, ${what}: all but ${failing.length} must pass\n`);
    const args = ['server', '--url', `${url}/mcp`];
    if (!(await conforms(args, revision, { server: failing }))) process.exitCode = 1;
  }
}

/** Runs the scenarios of clients that the suite has, with the client of agents. */
async function testOwnClient(): Promise<void> {
  const command = `node ${fileURLToPath(new URL('conformance/client.js', import.meta.url))}`;
  for (const revision of REVISIONS) {
    const file = new URL(`contract-tests/mcp/conformance/client-${revision}.yaml`, root);
    const leftOut = load(await readFile(file, 'utf8')) as Failing['left_out'];
    const failing = Object.values(leftOut).flat();
    process.stdout.write(`\n${revision}, the client: all but ${failing.length} must pass\n`);
    const args = ['client', '--command', command];
    if (!(await conforms(args, revision, { client: failing }))) process.exitCode = 1;
  }
}

/** Runs the scenarios of a revision. @param failing those that may fail, and must */
async function conforms(suite: readonly string[], revision: string, failing: object) {
  const baseline = join(folder, 'failing.yaml');
  await writeFile(baseline, JSON.stringify(failing));
  const args = [...suite, '--requirements', revision, '--expected-failures', baseline];
  // By default, a scenario has half a minute, in which a slow machine has hardly begun.
  args.push('--timeout', `${WAIT_MS}`);
  const child = spawn('conformance', args, {
    stdio: 'inherit',
    // There, the commands of packages are scripts of the shell.
    shell: process.platform === 'win32',
  });
  const [code]: unknown[] = await once(child, 'exit');
  return code === 0;
}
