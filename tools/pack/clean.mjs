/** Removes what the build has made for the packages: files whose sources are gone would be packed. */
import { rmSync } from 'node:fs';

const BUILT = ['dist/server', 'client/dist', 'prediction/dist'];

// The last: without it, the compiler writes all files again.
for (const path of [...BUILT, 'dist/build.tsbuildinfo']) {
  rmSync(new URL(`../../${path}`, import.meta.url), { recursive: true, force: true });
}
