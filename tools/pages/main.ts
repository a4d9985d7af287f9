/**
 * A step of `npm run build`: writes what the service serves beside its code into `dist/`: the files of each version of
 * the contract, and those of the pages. Prints what is wrong with a version, and writes no contract then.
 */
import { copyFile, cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { contractVersions, RELEASES, VersionError } from '../../contract/versions.js';
import { root } from '../../testkit/root.js';
import { writeContractFiles } from './contract-files.js';

/** Of Swagger UI these are 2 MB of the 12 that the package takes; nobody who runs the service needs the rest. */
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];
const { resolve } = createRequire(import.meta.url);
const folder = new URL('dist/server/pages/swagger-ui/', root);

await mkdir(folder, { recursive: true });
for (const file of FILES) await copyFile(resolve(`swagger-ui-dist/${file}`), new URL(file, folder));
await cp(new URL('server/pages/files/', root), new URL('dist/server/pages/files/', root), { recursive: true });
await copyFile(new URL('docs/agents/hosts.md', root), new URL('dist/server/pages/files/hosts.md', root));
try {
  writeContractFiles('dist/openapi', contractVersions('openapi.yaml', RELEASES));
} catch (error) {
  if (!(error instanceof VersionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
