/**
 * A step of `npm run build`: writes the files of each version of the contract into `dist/contract`, where the
 * service serves them from. Prints what is wrong with a version, and writes nothing then.
 */
import { contractVersions, RELEASES, VersionError } from './versions.js';
import { writeContractFiles } from './write-files.js';

try {
  writeContractFiles('dist/contract', contractVersions('openapi.yaml', RELEASES));
} catch (error) {
  if (!(error instanceof VersionError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
