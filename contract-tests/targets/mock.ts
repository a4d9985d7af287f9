import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';
import { BRIEF_RUN_FLAGS } from '../../testkit/node-flags.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import { MOCK_KEYS } from '../../testkit/store/keys.js';

const MAIN = fileURLToPath(new URL('../../dist/tools/prism/main.js', import.meta.url));
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Starts the built Prism mock on a free port of the loopback address, and waits until it listens.
 * @param folder the folder of the contract
 */
export function startMock(
  folder = ROOT,
  env: NodeJS.ProcessEnv = {},
): Promise<Child & { url: string }> {
  return startChild(
    process.execPath,
    [...BRIEF_RUN_FLAGS, MAIN],
    { ...process.env, PORT: '0', ...env },
    (line) => /listens on (http:\S+:\d+)/.exec(line)?.[1],
    folder,
  );
}

/** Runs the mock while the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const mock = await startMock();
  project.provide('target', { kind: 'mock', url: mock.url, keys: MOCK_KEYS });
  return () => mock.stop();
}
