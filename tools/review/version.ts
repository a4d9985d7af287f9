import { parseVersion, type SemanticVersion } from '../contract-files/semantic-version.js';
import { ContractFault } from './contract/read.js';

/** The kinds of change that a version announces, in increasing order. */
type Step = 'none' | 'addition' | 'break';

/** Whether the contract's version announces its changes. */
export interface Announcement {
  /** Whether breaking changes are announced; true if there are none. */
  readonly breaksAnnounced: boolean;
  /** Whether additions are announced; true if there are none. */
  readonly additionsAnnounced: boolean;
  /** The lowest version that announces everything. */
  readonly needed: string;
}

/**
 * Checks the versions by semantic versioning: a breaking change requires a major version, or a minor one while
 * the major is 0 (semver.org, 4); an addition requires a minor version, or a patch while the major is 0. After
 * a pre-release, any other version is allowed.
 * @throws {ContractFault} if one is not a semantic version.
 */
export function announcement(before: string, after: string, step: Step): Announcement {
  const [old, now] = [parse(before), parse(after)];
  const enough = (needed: readonly number[]) =>
    (old.prerelease !== '' && before !== after) || !isLess(now.numbers, needed);
  const [major, minor, patch] = old.numbers;
  const afterBreak = major === 0 ? [0, minor + 1, 0] : [major + 1, 0, 0];
  const afterAddition = major === 0 ? [0, minor, patch + 1] : [major, minor + 1, 0];
  const least = { none: old.numbers, addition: afterAddition, break: afterBreak }[step];
  return {
    breaksAnnounced: step !== 'break' || enough(afterBreak),
    additionsAnnounced: step === 'none' || enough(afterAddition),
    needed: least.join('.'),
  };
}

function parse(text: string): SemanticVersion {
  const version = parseVersion(text);
  if (version) return version;
  throw new ContractFault(`openapi.yaml: /info/version: ${text} is no semantic version`);
}

function isLess(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((number, place) => number !== other[place]);
  return index >= 0 && (one[index] ?? 0) < (other[index] ?? 0);
}
