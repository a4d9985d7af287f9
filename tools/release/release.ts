import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { compareVersions, parseVersion, RELEASES, releasedContracts } from '../../contract/versions.js';
import { versionInStep, withVersion } from './versions.js';

const CONTRACT = 'openapi.yaml';
const FIXTURES = 'contract-tests/releases';

export interface Release {
  readonly version: string;
  /** Such as `2026-11-23`. */
  readonly date: string;
  /** Makes the fixture of the release in a new folder. */
  readonly makeFixture: (folder: string) => Promise<void>;
}

/**
 * Dates the changelog, keeps the contract, and makes the fixture. Everything is checked before anything is written.
 * @param root the folder of the project
 * @throws if the version is not the one of the project, is released already, or has nothing to report
 */
export async function release(root: string, { version, date, makeFixture }: Release): Promise<void> {
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) {
    throw new Error(`${date} is not a date; write it as 2026-11-23`);
  }
  const current = versionInStep(root);
  if (current !== version) {
    throw new Error(`the project has the version ${current}; npm run release -- --next ${version}`);
  }
  checkNew(root, version);
  const kept = join(root, RELEASES, `${version}.yaml`);
  if (existsSync(kept)) throw new Error(`${RELEASES}/${version}.yaml is there already`);
  const changelog = join(root, 'CHANGELOG.md');
  const text = dated(readFileSync(changelog, 'utf8'), version, date);

  const fixtures = join(root, FIXTURES);
  mkdirSync(fixtures, { recursive: true });
  // Beside the others, so that it can be renamed; a dot hides it from the tests.
  const fixture = mkdtempSync(join(fixtures, '.making-'));
  try {
    await makeFixture(fixture);
    rmSync(join(fixtures, version), { recursive: true, force: true });
    renameSync(fixture, join(fixtures, version));
  } finally {
    rmSync(fixture, { recursive: true, force: true });
  }
  mkdirSync(join(root, RELEASES), { recursive: true });
  copyFileSync(join(root, CONTRACT), kept);
  writeFileSync(changelog, text);
}

/**
 * Gives the project the version of its next release, everywhere but in `generated/`.
 * @returns the files that were written
 * @throws if it is not later than every release
 */
export function raise(root: string, version: string): string[] {
  checkNew(root, version);
  const files = withVersion(root, version);
  for (const [file, text] of files) writeFileSync(join(root, file), text);
  return [...files.keys()];
}

/** @throws if a version is none, or is not later than each release */
function checkNew(root: string, version: string): void {
  if (parseVersion(version)?.numbers.join('.') !== version)
    throw new Error(`${version} is not a version; write it as 0.2.0`);
  const last = releasedContracts(join(root, RELEASES)).at(-1)?.version;
  if (last !== undefined && compareVersions(version, last) <= 0) {
    throw new Error(`${last} is released; ${version} does not come after it`);
  }
}

const UNRELEASED = '## Unreleased';

/**
 * Dates what is unreleased in a CHANGELOG.md, and begins an empty section above it.
 * @param date such as `2026-11-23`
 * @throws if nothing is unreleased, or if the version has a section already
 */
function dated(changelog: string, version: string, date: string): string {
  if (changelog.includes(`\n## ${version}, 2`)) {
    throw new Error(`CHANGELOG.md: ${version} has a section with a date already`);
  }
  const heading = [`## ${version}, unreleased`, UNRELEASED].find((line) => changelog.includes(`\n${line}\n`));
  if (heading === undefined) throw new Error(`CHANGELOG.md: there is no section "${UNRELEASED}"`);
  const [before = '', after = ''] = changelog.split(`\n${heading}\n`);
  const [section = ''] = after.split('\n## ');
  if (section.trim() === '') {
    throw new Error(`CHANGELOG.md: "${heading}" says nothing; write what changes for users`);
  }
  return `${before}\n${UNRELEASED}\n\n## ${version}, ${date}\n${after}`;
}
