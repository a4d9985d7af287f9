import type { TestProject } from 'vitest/node';
import { startServer } from './server-process.js';

/** Runs the built server, on a database of its own, while the tests run. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const server = await startServer();
  project.provide('target', { kind: 'server', url: server.url });
  return () => server.stop();
}
