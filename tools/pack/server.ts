import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startChild } from '../../testkit/service/child-process.js';
import type { Installation } from './installation.js';

/** The addresses that a started service answers, with a part of the answer. */
const ANSWERS = {
  '/health/ready': 'ready',
  '/': '<title>',
  '/console/index.js': 'function',
  '/docs': '<title>',
  '/openapi.yaml': 'openapi: 3.1',
};

/**
 * Creates a key with the installed command `roster`, starts the service, reads its pages, and stops it.
 * @param use uses the service
 */
export async function checkServer(
  server: Installation,
  env: NodeJS.ProcessEnv,
  use: (url: string, key: string) => Promise<void>,
): Promise<void> {
  const roster = server.command('roster');
  const DATABASE_URL = `file:${join(server.folder, 'roster.db')}`;
  const settings = {
    ...env,
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL,
    DRAIN_SECONDS: '0',
  };
  const create = ['keys', 'create', '--name', 'check'];
  const { stdout } = await promisify(execFile)(roster, create, { env: settings });
  const { url, stop } = await startChild(roster, ['start'], settings, urlOf);
  try {
    await readPages(url);
    await use(url, stdout.trim());
  } catch (error) {
    await stop();
    throw error;
  }
  const code = await stop();
  if (code !== 0) throw new Error(`The service stopped with ${code}`);
}

async function readPages(url: string): Promise<void> {
  for (const [path, part] of Object.entries(ANSWERS)) {
    // As a browser: for programs, `/` is an unknown address.
    const response = await fetch(url + path, { headers: { Accept: 'text/html, */*' } });
    const text = await response.text();
    if (!response.ok || !text.includes(part)) {
      throw new Error(`${path} answers ${response.status}: ${text.slice(0, 200)}`);
    }
  }
}

/** The address in the line that says that the service listens. */
const urlOf = (line: string) => /"url":"([^"]+)".*"msg":"listening"/.exec(line)?.[1];
