import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { type ServerOptions, type ServerProcess, startServer } from './server-process.js';

/** The servers and the files of one test. */
export interface OwnServers {
  /** Returns a path in the folder of the test, which is removed with it. */
  file(name: string): string;
  /** Starts the built server on the test's database, `roster.db`. It is killed when the test ends. */
  start(options?: ServerOptions): Promise<ServerProcess>;
}

/** For tests that start, stop or crash a server, and so need their own. */
export function ownServers(): OwnServers {
  let folder: string;
  let running: ServerProcess[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-process-'));
  });
  afterEach(async () => {
    await Promise.all(running.map((server) => server.kill()));
    running = [];
    await rm(folder, { recursive: true });
  });
  const file = (name: string) => join(folder, name);
  return {
    file,
    start: async (options = {}) => {
      const server = await startServer({ databaseFile: file('roster.db'), ...options });
      running.push(server);
      return server;
    },
  };
}
