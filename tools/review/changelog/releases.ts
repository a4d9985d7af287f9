import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RELEASES, releasedContracts } from '../../contract-files/versions.js';
import type { Contract } from '../contract/contract.js';
import { readContract } from '../contract/read.js';

/** A released version of the contract. */
export interface Release {
  readonly contract: Contract;
  /** The day, as `2026-11-23`; undefined if the changelog does not say it. */
  readonly date: string | undefined;
}

/**
 * Reads the released contracts, in the order of their versions. Dates are those of the headings of
 * `CHANGELOG.md`: `## 0.1.0, 2026-11-23`.
 * @throws {VersionError | ContractFault} if one cannot be read, or has another version than its file is named after
 */
export function readReleases(): Release[] {
  const dates = datesIn(existsSync('CHANGELOG.md') ? readFileSync('CHANGELOG.md', 'utf8') : '');
  return releasedContracts(RELEASES).map(({ version, source }) => ({
    contract: readContract(source, join(RELEASES, `${version}.yaml`)),
    date: dates.get(version),
  }));
}

function datesIn(changelog: string): ReadonlyMap<string, string> {
  const headings = changelog.matchAll(/^## (\S+), (\d{4}-\d{2}-\d{2})$/gm);
  return new Map([...headings].map(([, version = '', date = '']) => [version, date]));
}
