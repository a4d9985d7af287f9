import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { startChild } from './child.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Runs the Prism mock of the contract while the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const mock = await startChild(
    `${ROOT}/node_modules/.bin/prism`,
    ['mock', `${ROOT}/openapi.yaml`, '--host', '127.0.0.1', '--port', '0'],
    process.env,
    (line) => /listening on (http:\S+)/.exec(line)?.[1],
  );
  project.provide('target', { kind: 'mock', url: mock.url });
  return () => mock.stop();
}
