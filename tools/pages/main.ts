import { copyFile, cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { root } from '../../testkit/root.js';

/**
 * A step of `npm run build`: copies the files of the pages to where the service serves them from. Of Swagger UI these
 * are 2 MB of the 12 that the package takes; nobody who runs the service needs the rest.
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
await cp(new URL('server/pages/files/', root), new URL('dist/server/pages/files/', root), {
  recursive: true,
});
