/**
 * `npm run pack:check`: installs each package of `dist/packages/` in an empty folder, and uses it, on each version of
 * Node.js: `npm run pack:check -- 22 24` on these alone.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentOf, Installation } from './installation.js';
import { checkServer } from './server.js';

const VERSIONS = ['20.19', '22', '24', '26'];

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
