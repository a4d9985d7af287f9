import type { TestProject } from 'vitest/node';
import { MOCK_KEYS } from '../../testkit/store/keys.js';
import { startMock } from './start-mock.js';

/** Runs the mock while the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const mock = await startMock();
  project.provide('target', { kind: 'mock', url: mock.url, keys: MOCK_KEYS });
  return () => mock.stop();
}
