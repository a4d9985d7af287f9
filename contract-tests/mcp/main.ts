/**
 * Runs the official conformance suite of MCP against the service, for both revisions that it freezes.
 *
 * usage: npm run test:mcp, on Node.js 22 or newer
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createRosterClient } from 'roster-client';
import { root } from '../../testkit/root.js';
import { startServer } from '../../testkit/service/server-process.js';
import { trainPrices } from '../../testkit/service/train-prices.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];

const server = await startServer({ env: { RATE_LIMIT: '0' } });
try {
  // A tool to call by the name that the list has.
  const roster = createRosterClient({ baseUrl: server.url });
  await trainPrices(roster, { projectName: 'default', modelName: 'prices' });
  for (const revision of REVISIONS) {
    if (!(await conforms(revision))) process.exitCode = 1;
  }
} finally {
  await server.stop();
}

/** Runs the scenarios of a revision; those in `conformance/` may fail, and must. */
async function conforms(revision: string): Promise<boolean> {
  const baseline = fileURLToPath(new URL(`contract-tests/mcp/conformance/${revision}.yaml`, root));
  const args = ['--requirements', revision, '--expected-failures', baseline];
  const child = spawn('conformance', ['server', '--url', `${server.url}/mcp`, ...args], {
    stdio: 'inherit',
    // There, the commands of packages are scripts of the shell.
    shell: process.platform === 'win32',
  });
  const [code]: unknown[] = await once(child, 'exit');
  return code === 0;
}
