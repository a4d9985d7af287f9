const UNRELEASED = '## Unreleased';

/**
 * Dates what is unreleased in a CHANGELOG.md, and begins an empty section above it.
 * @param date such as `2026-11-23`
 * @throws if nothing is unreleased, or if the version has a section already
 */
export function dated(changelog: string, version: string, date: string): string {
  if (changelog.includes(`\n## ${version}, 2`)) {
    throw new Error(`CHANGELOG.md: ${version} has a section with a date already`);
  }
  const heading = [`## ${version}, unreleased`, UNRELEASED].find((line) =>
    changelog.includes(`\n${line}\n`),
  );
  if (heading === undefined) throw new Error(`CHANGELOG.md: there is no section "${UNRELEASED}"`);
  const [before = '', after = ''] = changelog.split(`\n${heading}\n`);
  const [section = ''] = after.split('\n## ');
  if (section.trim() === '') {
    throw new Error(`CHANGELOG.md: "${heading}" says nothing; write what changes for users`);
  }
  return `${before}\n${UNRELEASED}\n\n## ${version}, ${date}\n${after}`;
}
