/**
 * `npm run pack:check`: installs each package of `dist/packages/` in an empty folder, and uses it, on each version of
 * Node.js: `npm run pack:check -- 22 24` on these alone.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startChild } from '../../testkit/service/child-process.js';
import { environmentOf, Installation } from './installation.js';

const VERSIONS = ['20.19', '22', '24', '26'];

/** The addresses that a started service answers, with a part of the answer. */
const ANSWERS = {
  '/health/ready': 'ready',
  '/': '<title>',
  '/console/index.js': 'function',
  '/docs': '<title>',
  '/openapi.yaml': 'openapi: 3.1',
};

/** The address in the line that says that the service listens. */
const urlOf = (line: string) => /"url":"([^"]+)".*"msg":"listening"/.exec(line)?.[1];

const asked = process.argv.slice(2);
try {
  for (const version of asked.length > 0 ? asked : VERSIONS) {
    const begun = Date.now();
    await checkOn(version);
    const seconds = Math.round((Date.now() - begun) / 1000);
    process.stdout.write(`Node.js ${version}: all packages work (${seconds} s)\n`);
  }
} catch (error) {
  process.stderr.write(`error: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

async function checkOn(version: string): Promise<void> {
  const env = await environmentOf(version);
  // Outside the project, whose packages Node would find from within.
  const parent = mkdtempSync(join(tmpdir(), `roster-pack-${version}-`));
  try {
    const install = (name: string) => Installation.make(parent, name, env);
    const [server, client, prediction, contract] = await Promise.all([
      install('roster'),
      install('roster-client'),
      install('roster-prediction'),
      install('roster-contract'),
    ]);
    await client.compile('client.ts');
    await checkServer(server, env, (url, key) => client.check('client.js', url, key));
    await prediction.compile('prediction.ts');
    await prediction.check('prediction.js');
    contract.copy('contract.mjs');
    await contract.check('contract.mjs');
  } finally {
    rmSync(parent, { recursive: true, force: true });
  }
}

/**
 * Creates a key with the installed command `roster`, starts the service, reads its pages, and stops it.
 * @param use uses the service
 */
async function checkServer(
  server: Installation,
  env: NodeJS.ProcessEnv,
  use: (url: string, key: string) => Promise<void>,
): Promise<void> {
  const roster = server.command('roster');
  const DATABASE_URL = `file:${join(server.folder, 'roster.db')}`;
  const settings = {
    ...env,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL,
    DRAIN_SECONDS: '0',
  };
  const create = ['keys', 'create', '--name', 'check'];
  const { stdout } = await promisify(execFile)(roster, create, { env: settings });
  const { url, stop } = await startChild(roster, ['start'], settings, urlOf);
  try {
    await readPages(url);
    await use(url, stdout.trim());
  } catch (error) {
    await stop();
    throw error;
  }
  const code = await stop();
  if (code !== 0) throw new Error(`The service stopped with ${code}`);
}

async function readPages(url: string): Promise<void> {
  for (const [path, part] of Object.entries(ANSWERS)) {
    // As a browser: for programs, `/` is an unknown address.
    const response = await fetch(url + path, { headers: { Accept: 'text/html, */*' } });
    const text = await response.text();
    if (!response.ok || !text.includes(part)) {
      throw new Error(`${path} answers ${response.status}: ${text.slice(0, 200)}`);
    }
  }
}
