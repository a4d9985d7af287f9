import { readFile } from 'node:fs/promises';
import type { Asset } from './asset.js';

/** Allows the console's own files, and requests to the service itself. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export const CONSOLE_PAGE: Asset = {
  type: 'text/html',
  policy: POLICY,
  read: () => readFile(new URL('../console/index.html', import.meta.url)),
};

/** The files of the page that `npm run build` makes, by name. No other file is served. */
export const CONSOLE_FILES: readonly (readonly [string, Asset])[] = [
  file('index.js', 'text/javascript'),
  file('agent-views.js', 'text/javascript'),
  file('index.css', 'text/css'),
  file('diamonds.csv', 'text/csv'),
  file('more-diamonds.csv', 'text/csv'),
];

function file(name: string, type: string): readonly [string, Asset] {
  const read = () => readFile(new URL(`../console/console/${name}`, import.meta.url));
  return [name, { type, read }];
}
