import { existsSync } from 'node:fs';

/**
 * The top of the project. Tests run this file as it is written; benches and tools run it from `dist/testkit`, a
 * folder further down.
 */
export const root: URL = topOf(new URL('../', import.meta.url));

function topOf(folder: URL): URL {
  return existsSync(new URL('openapi.yaml', folder)) ? folder : topOf(new URL('../', folder));
}
