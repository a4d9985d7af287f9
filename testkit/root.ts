import { existsSync } from 'node:fs';

/**
 * The root of the project. Tests run this source file; benches and tools run it from `dist/testkit`, one folder
 * further down.
 */
export const root: URL = findTop(new URL('../', import.meta.url));

function findTop(folder: URL): URL {
  return existsSync(new URL('package.json', folder)) ? folder : findTop(new URL('../', folder));
}
