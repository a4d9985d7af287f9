/** A version in the form of semantic versioning (semver.org, 2.0.0). */
export interface SemanticVersion {
  readonly numbers: readonly [major: number, minor: number, patch: number];
  /** Such as `rc.1`; empty for a release. */
  readonly prerelease: string;
}

const FORM =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;

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
