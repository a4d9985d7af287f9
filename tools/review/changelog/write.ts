import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASES } from '../../contract-files/versions.js';
import { changelogOf } from './changelog.js';
import { readReleases } from './releases.js';

const FILE = join(RELEASES, 'CHANGELOG.md');

/**
 * Writes the changelog of the released contracts.
 * @param check to compare it with the file instead
 * @returns what was done, and whether the file is now up to date
 * @throws {VersionError | ContractFault} if a released contract cannot be read
 */
export function writeChangelog(check: boolean): { message: string; upToDate: boolean } {
  const releases = readReleases();
  if (releases.length === 0) {
    return { message: `no contract is released yet: ${RELEASES} has none`, upToDate: true };
  }
  const text = changelogOf(releases);
  const isSame = existsSync(FILE) && readFileSync(FILE, 'utf8') === text;
  if (check && !isSame) {
    const message = `${FILE} is not up to date: npm run spec:review -- --changelog`;
    return { message, upToDate: false };
  }
  if (!isSame) writeFileSync(FILE, text);
  return { message: `${FILE} is up to date`, upToDate: true };
}
