import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { asRecord } from './json-record.js';
import { readYaml, YamlError } from './yaml.js';

/** The folder of the released contracts, in the project's: a file for each, such as `0.1.0.yaml`. */
export const RELEASES = 'docs/contract';

export interface ContractVersion {
  readonly version: string;
  /** True if it is released, and so never changes. */
  readonly isReleased: boolean;
  /** The text of its file. */
  readonly source: string;
  readonly document: unknown;
}

/** A contract cannot be published. The message has a line for each reason, with its place. */
export class VersionError extends Error {}

/**
 * Reads the released versions and the current one, the newest first.
 * @param current the path of the contract
 * @param releases the folder with a file for each released version; it may be missing
 * @throws {VersionError} if a file is not a contract, has the number of another one, or the current contract has the
 *   number of a release and differs from it
 */
export function contractVersions(current: string, releases: string): ContractVersion[] {
  const now = versionIn(current, false);
  const released = releasedContracts(releases);
  const same = released.find(({ version }) => version === now.version);
  if (same && !isDeepStrictEqual(same.document, now.document)) {
    throw new VersionError(
      `${placeOfVersion(current, now.source)}: version ${now.version} is released, and ${same.version}.yaml in ${releases} differs; raise info.version, or undo the change`,
    );
  }
  return (same ? released : [...released, now]).sort(byVersion).reverse();
}

/**
 * Reads the released versions, the oldest first.
 * @param folder the folder with a file for each of them; it may be missing
 * @throws {VersionError} if a file is not a contract, or is named after another version
 */
export function releasedContracts(folder: string): ContractVersion[] {
  const versions = yamlFilesIn(folder).map((name) => {
    const path = join(folder, name);
    const found = versionIn(path, true);
    if (basename(name, '.yaml') === found.version) return found;
    throw new VersionError(
      `${placeOfVersion(path, found.source)}: info.version is ${found.version}; name the file ${found.version}.yaml, or correct the version`,
    );
  });
  return versions.sort(byVersion);
}

function byVersion(a: ContractVersion, b: ContractVersion): number {
  return compareVersions(a.version, b.version);
}

function yamlFilesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  } catch (error) {
    if (asRecord(error)['code'] === 'ENOENT') return [];
    throw error;
  }
}

function versionIn(path: string, isReleased: boolean): ContractVersion {
  const source = readFileSync(path, 'utf8');
  const document = readContent(path, source);
  const { version } = asRecord(asRecord(document)['info']);
  // A plus sign is not safe in an address.
  if (typeof version === 'string' && parseVersion(version) && !version.includes('+')) {
    return { version, isReleased, source, document };
  }
  throw new VersionError(`${placeOfVersion(path, source)}: info.version must be a version, such as 1.4.0`);
}

function readContent(path: string, source: string): unknown {
  try {
    return readYaml(source).content;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { line, column, message } = error.fault;
    throw new VersionError(`${path}:${line}:${column}: ${message}`, { cause: error });
  }
}

function placeOfVersion(path: string, source: string): string {
  const { line, column } = readYaml(source).locate('/info/version');
  return `${path}:${line}:${column}`;
}

/** A version in the form of semantic versioning (semver.org, 2.0.0). */
export interface SemanticVersion {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** Such as `rc.1`; empty for a release. */
  readonly prerelease: string;
}

const FORM = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

/** Parses a version. Returns undefined for any other text. */
export function parseVersion(text: string): SemanticVersion | undefined {
  const [, major, minor, patch, prerelease = ''] = FORM.exec(text) ?? [];
  if (major === undefined) return undefined;
  return { numbers: [Number(major), Number(minor), Number(patch)], prerelease };
}

/**
 * Orders versions by their precedence (semver.org, 11), for sorting.
 * @returns less than 0 if the first is earlier
 * @throws {RangeError} if one is not a version
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [parsed(one), parsed(other)];
  for (const place of [0, 1, 2] as const) {
    if (a.numbers[place] !== b.numbers[place]) return a.numbers[place] - b.numbers[place];
  }
  // A pre-release comes before its release.
  if (a.prerelease === '' || b.prerelease === '') return b.prerelease.length - a.prerelease.length;
  return a.prerelease.localeCompare(b.prerelease, 'en', { numeric: true });
}

function parsed(text: string): SemanticVersion {
  const version = parseVersion(text);
  if (version === undefined) throw new RangeError(`${text} is not a semantic version`);
  return version;
}
