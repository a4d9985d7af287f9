import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LeftOut } from './contract-tests/left-out.js';
import { TEST_MS, WAIT_MS } from './testkit/patience.js';

/** Returns the place of a package in `tools/on-demand/FOLDER`. */
const installed = (folder: string, name: string) =>
  fileURLToPath(new URL(`tools/on-demand/${folder}/node_modules/${name}`, import.meta.url));

/** Tests with packages that `npm ci` does not install: `npm run test:on-demand` does. */
export default defineConfig({
  ssr: { resolve: { conditions: ['roster-source', 'node', 'development|production'] } },
  resolve: {
    alias: {
      '@opentelemetry/sdk-node': installed('opentelemetry', '@opentelemetry/sdk-node'),
      msw: installed('peers', 'msw'),
      'openapi-typescript': installed('openapi-typescript', 'openapi-typescript'),
    },
  },
  test: {
    include: ['**/*.on-demand.test.ts'],
    reporters: ['default', new LeftOut()],
    testTimeout: TEST_MS,
    hookTimeout: TEST_MS,
    expect: { poll: { timeout: WAIT_MS } },
    setupFiles: ['testkit/fixed-seed.ts'],
    isolate: false,
  },
});
