import { defineConfig } from 'vitest/config';

const LONG_ENOUGH_FOR_A_TRAINING = 60_000;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: [
            'server/**/*.test.ts',
            'demo/*.test.ts',
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
    ],
  },
});
