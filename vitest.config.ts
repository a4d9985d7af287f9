import { defineConfig } from 'vitest/config';
import { RecordRun } from './contract-tests/coverage/record-run.js';
import { Parity } from './contract-tests/parity.js';

const LONG_ENOUGH_FOR_A_TRAINING = 60_000;
const LONG_ENOUGH_FOR_ANOTHER_TO_TAKE_OVER = 120_000;

export default defineConfig({
  test: {
    reporters: ['default', new RecordRun(), new Parity()],
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'server/**/*.test.ts',
            'demo/*.test.ts',
            'review/**/*.test.ts',
            'client/src/**/*.test.ts',
            'contract-tests/*.test.ts',
            'contract-tests/review/*.test.ts',
          ],
          testTimeout: LONG_ENOUGH_FOR_A_TRAINING,
          typecheck: {
            enabled: true,
            include: ['client/src/**/*.test-d.ts'],
            tsconfig: 'client/tsconfig.test.json',
          },
        },
      },
      {
        test: {
          name: 'mock',
          include: ['contract-tests/promises/*.test.ts', 'contract-tests/mock/*.test.ts'],
          globalSetup: 'contract-tests/targets/mock.ts',
        },
      },
      {
        test: {
          name: 'server',
          include: ['contract-tests/promises/*.test.ts', 'contract-tests/state/*.test.ts'],
          globalSetup: 'contract-tests/targets/server.ts',
          testTimeout: LONG_ENOUGH_FOR_A_TRAINING,
          hookTimeout: LONG_ENOUGH_FOR_A_TRAINING,
        },
      },
      {
        test: {
          name: 'postgres',
          include: ['contract-tests/promises/*.test.ts', 'contract-tests/state/*.test.ts'],
          globalSetup: 'contract-tests/targets/postgres.ts',
          testTimeout: LONG_ENOUGH_FOR_A_TRAINING,
          hookTimeout: LONG_ENOUGH_FOR_A_TRAINING,
        },
      },
      {
        test: {
          name: 'fuzz',
          include: ['contract-tests/fuzz/*.test.ts'],
          globalSetup: 'contract-tests/targets/server.ts',
          testTimeout: LONG_ENOUGH_FOR_ANOTHER_TO_TAKE_OVER,
          hookTimeout: LONG_ENOUGH_FOR_A_TRAINING,
        },
      },
      {
        test: {
          name: 'docs',
          include: ['contract-tests/docs/*.test.ts'],
          testTimeout: LONG_ENOUGH_FOR_A_TRAINING,
          hookTimeout: LONG_ENOUGH_FOR_A_TRAINING,
        },
      },
      {
        test: {
          name: 'instances',
          include: ['contract-tests/instances/*.test.ts'],
          testTimeout: LONG_ENOUGH_FOR_ANOTHER_TO_TAKE_OVER,
          hookTimeout: LONG_ENOUGH_FOR_A_TRAINING,
        },
      },
    ],
  },
});
