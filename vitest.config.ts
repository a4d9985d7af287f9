import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { RecordRun } from './contract-tests/coverage/record-run.js';
import { LeftOut } from './contract-tests/left-out.js';
import { LongestFirst } from './contract-tests/longest-first.js';
import { Parity } from './contract-tests/parity.js';
import { BRIEF_RUN_FLAGS } from './testkit/node-flags.js';
import { TEST_MS, WAIT_MS } from './testkit/patience.js';

/**
 * One more than there are cores, since tests also wait: for a lease, a lock, a page or another process. Each loads
 * its modules and warms up by itself, so that more of them take longer in all.
 */
const WORKERS = availableParallelism() + 1;

const EVERYWHERE = {
  testTimeout: TEST_MS,
  hookTimeout: TEST_MS,
  expect: { poll: { timeout: WAIT_MS } },
  // A worker loads its code once, for all files of a project that it runs: what has become fast for one is so
  // for the next. Files run at once, with one server in some projects, so that none may count on being alone.
  // Each project has workers of its own and compiles the code again, so there are few.
  isolate: false,
  execArgv: [...BRIEF_RUN_FLAGS],
  setupFiles: ['testkit/fixed-seed.ts'],
  // Compiled modules are kept in `node_modules/` for the next run, by their contents.
  experimental: { fsModuleCache: true },
  // Those of `npm run test:on-demand`.
  exclude: [...configDefaults.exclude, '**/*.on-demand.test.ts'],
};

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new RecordRun(), new Parity(), new LeftOut()],
    // The services and the database that projects share may take their time to stop, too.
    teardownTimeout: WAIT_MS,
    projects: [
      {
        test: {
          ...EVERYWHERE,
          name: 'unit',
          include: [
            'prediction/src/**/*.test.ts',
            'server/**/*.test.ts',
            'examples/demo/*.test.ts',
            'tools/**/*.test.ts',
            'testkit/**/*.test.ts',
            'bench/**/*.test.ts',
            'client/src/**/*.test.ts',
            'contract-tests/*.test.ts',
            'contract-tests/{agents,client,cluster,console,coverage,docs,mcp,oauth,oidc}/*.test.ts',
            'contract-tests/{fuzz/values,recipes,releases,review,tour}/*.test.ts',
          ],
          typecheck: { enabled: true, include: ['client/src/**/*.test-d.ts'], tsconfig: 'client/tsconfig.test.json' },
        },
      },
      {
        test: {
          ...EVERYWHERE,
          name: 'mock',
          include: ['contract-tests/conformance/*.test.ts', 'contract-tests/mock/*.test.ts'],
          globalSetup: 'contract-tests/targets/mock.ts',
        },
      },
      {
        test: {
          ...EVERYWHERE,
          name: 'server',
          include: [
            'contract-tests/{conformance,behaviour}/**/*.test.ts',
            // No store is involved in these, so that one will do.
            'contract-tests/{formats,fuzz,http,predictions}/*.test.ts',
          ],
          globalSetup: 'contract-tests/targets/server.ts',
        },
      },
      {
        test: {
          ...EVERYWHERE,
          name: 'postgres',
          include: ['contract-tests/conformance/*.test.ts', 'contract-tests/behaviour/**/*.test.ts'],
          globalSetup: 'contract-tests/targets/postgres.ts',
        },
      },
    ],
  },
});
