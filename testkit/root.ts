import { existsSync } from 'node:fs';

/**
 * The top of the project. The tests are run as they are written; what is generated from the contract is
 * built to `dist/contract-tests`, a folder further down.
 */
export const root: URL = topOf(new URL('../', import.meta.url));

function topOf(folder: URL): URL {
  return existsSync(new URL('openapi.yaml', folder)) ? folder : topOf(new URL('../', folder));
}
