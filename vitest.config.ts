import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { RecordRun } from './contract-tests/coverage/record-run.js';
import { PROJECT } from './contract-tests/coverage/records.js';
import { LeftOut } from './contract-tests/left-out.js';
import { LongestFirst } from './contract-tests/longest-first.js';
import { Parity } from './contract-tests/parity.js';
import { Slow } from './contract-tests/slow.js';
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
  // Each project has its own workers and compiles the code again, so there are few.
  isolate: false,
  execArgv: [...BRIEF_RUN_FLAGS],
  setupFiles: ['testkit/fixed-seed.ts'],
  // Compiled modules are kept in `node_modules/` for the next run, by their contents.
  experimental: { fsModuleCache: true },
};

/** The files of `npm run test:rest` alone, and those of `npm run test:on-demand`. */
const [REST, ON_DEMAND] = ['**/*.rest.test.ts', '**/*.on-demand.test.ts'];

/** Tests through HTTP that run against the mock, and against the server on a store of SQLite. */
const ON_MOCK = ['contract-tests/{conformance,mock}/*.test.ts'];
const ON_SERVER = [
  'contract-tests/{behaviour,conformance}/**/*.test.ts',
  'contract-tests/{formats,fuzz,http,predictions}/*.test.ts',
];

/**
 * Tests of what a store takes part in: on PostgreSQL they run in the rest, and on SQLite in `npm test`, or in the rest,
 * as their names say.
 */
const ON_EACH_STORE = ['contract-tests/{behaviour,conformance}/**/*.test.ts', '**/*.stores{,.rest}.test.ts'];

/** Defines a project. Its name is in the environment, for the records of its tests. */
const project = (
  name: string,
  include: string[],
  { exclude = [], ...more }: TestProjectInlineConfiguration['test'] = {},
) => ({
  // As usual, and the sources of roster-prediction: its own tests load the same files by path.
  ssr: { resolve: { conditions: ['roster-source', 'node', 'development|production'] } },
  test: {
    ...EVERYWHERE,
    ...more,
    name,
    include,
    exclude: [...configDefaults.exclude, ON_DEMAND, ...exclude],
    env: { [PROJECT]: name },
  },
});

export default defineConfig({
  test: {
    maxWorkers: WORKERS,
    sequence: { sequencer: LongestFirst },
    reporters: ['default', new RecordRun(), new Parity(), new LeftOut(), new Slow()],
    // The services and the database that projects share may take their time to stop, too.
    teardownTimeout: WAIT_MS,
    // `npm test` runs the first three, `npm run test:rest` the others.
    projects: [
      project('unit', ['**/*.test.ts'], {
        exclude: [REST, ...ON_MOCK, ...ON_SERVER],
        typecheck: { enabled: true, include: ['client/src/**/*.test-d.ts'], tsconfig: 'client/tsconfig.test.json' },
      }),
      project('mock', ON_MOCK, { exclude: [REST], globalSetup: 'contract-tests/targets/mock.ts' }),
      project('server', ON_SERVER, { exclude: [REST], globalSetup: 'contract-tests/targets/server.ts' }),
      project('rest', [REST], { globalSetup: 'contract-tests/targets/server.ts' }),
      project('postgres', ON_EACH_STORE, { globalSetup: 'contract-tests/targets/postgres.ts' }),
    ],
  },
});
