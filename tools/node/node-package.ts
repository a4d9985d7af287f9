/**
 * Returns the npm package that has a version of Node.js for this machine.
 * @param version such as `24`, `20.19` or `22.23.1`: the newest that begins so
 */
export function nodePackage(version: string): string {
  const platform = process.platform === 'win32' ? 'win' : process.platform;
  return `node-${platform}-${process.arch}@${version}`;
}
