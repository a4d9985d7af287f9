/** The oldest Node.js that Roster runs on, as `engines` of package.json says. */
const OLDEST = { major: 20, minor: 19 };

/** Says in a sentence that a Node.js is too old; undefined if it is not. */
export function tooOld(version = process.versions.node): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor)) return undefined;
  return `Roster needs Node.js ${OLDEST.major}.${OLDEST.minor} or later; this is ${version}`;
}
