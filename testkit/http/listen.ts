import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { serveOnLoopback } from './loopback-server.js';

/**
 * Serves a listener on a free port of the loopback address until the test has finished.
 * @returns the URL
 */
export async function listen(listener: RequestListener): Promise<string> {
  const { origin, close } = await serveOnLoopback(listener);
  onTestFinished(close);
  return origin;
}
