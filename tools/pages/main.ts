import { copyFile, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { root } from '../../testkit/root.js';

/**
 * The last step of `npm run build`: copies what `/docs` is drawn with to where the service serves it from. It is
 * 2 MB of the 12 that the package takes, the rest of which nobody who runs the service needs.
 */
const FILES = [
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'LICENSE',
  'NOTICE',
];
const { resolve } = createRequire(import.meta.url);
const folder = new URL('dist/server/pages/swagger-ui/', root);

await mkdir(folder, { recursive: true });
for (const file of FILES) await copyFile(resolve(`swagger-ui-dist/${file}`), new URL(file, folder));
