import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import { MOCK_KEYS } from '../../testkit/store/keys.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Starts the Prism mock of the contract on a free port of the loopback address. */
export function startMock(): Promise<Child & { url: string }> {
  return startChild(
    // The file itself: npx would leave the mock running when npx is stopped.
    `${ROOT}/node_modules/.bin/prism`,
    ['mock', `${ROOT}/openapi.yaml`, '--host', '127.0.0.1', '--port', '0'],
    process.env,
    (line) => /listening on (http:\S+)/.exec(line)?.[1],
  );
}

/** Runs the mock while the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const mock = await startMock();
  project.provide('target', { kind: 'mock', url: mock.url, keys: MOCK_KEYS });
  return () => mock.stop();
}
