import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const installed = fileURLToPath(new URL('tools/on-demand/peers/node_modules/', import.meta.url));

/** Tests with packages that users have and `npm ci` does not install: `npm run test:peers` does. */
export default defineConfig({
  resolve: {
    alias: { msw: `${installed}msw` },
  },
  test: {
    include: ['contract-tests/**/*.peer.test.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    isolate: false,
  },
});
