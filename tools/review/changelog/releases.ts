import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareVersions } from '../../contract-files/semantic-version.js';
import type { Contract } from '../contract/contract.js';
import { ContractFault, readContract } from '../contract/read.js';

/** The folder of the released contracts, `<version>.yaml`. */
export const RELEASES = 'docs/contract';

/** A released version of the contract. */
export interface Release {
  readonly contract: Contract;
  /** The day, as `2026-11-23`; undefined if the changelog does not say it. */
  readonly date: string | undefined;
}

/**
 * Reads the released contracts, in the order of their versions. Dates are those of the headings of
 * `CHANGELOG.md`: `## 0.1.0, 2026-11-23`.
 * @throws {ContractFault} if one cannot be read, or has another version than its file is named after
 */
export function readReleases(): Release[] {
  if (!existsSync(RELEASES)) return [];
  const dates = datesIn(existsSync('CHANGELOG.md') ? readFileSync('CHANGELOG.md', 'utf8') : '');
  return readdirSync(RELEASES)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => {
      const file = join(RELEASES, name);
      const contract = readContract(readFileSync(file, 'utf8'), file);
      if (name !== `${contract.version}.yaml`) {
        throw new ContractFault(
          `${file}: /info/version: is ${contract.version}, not that of the file`,
        );
      }
      return { contract, date: dates.get(contract.version) };
    })
    .sort((a, b) => compareVersions(a.contract.version, b.contract.version));
}

function datesIn(changelog: string): ReadonlyMap<string, string> {
  const headings = changelog.matchAll(/^## (\S+), (\d{4}-\d{2}-\d{2})$/gm);
  return new Map([...headings].map(([, version = '', date = '']) => [version, date]));
}
