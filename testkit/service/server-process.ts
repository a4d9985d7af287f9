import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BRIEF_RUN_FLAGS } from '../node-flags.js';
import { root } from '../root.js';
import { type Child, findListeningUrl, startChild } from './child-process.js';

const MAIN = fileURLToPath(new URL('dist/server/main.js', root));

/** The built server, running. */
export interface ServerProcess extends Child {
  url: string;
  /** Kills the process at once, like a crash. */
  kill(): Promise<void>;
}

export interface ServerOptions {
  /** Variables that are added to the environment. */
  env?: NodeJS.ProcessEnv;
  /** A database to open and keep. Without it, a new one is created, and removed at the end. */
  databaseFile?: string;
}

/** Starts the built server on a free port of the loopback address, and waits until it listens. */
export async function startServer({ env, databaseFile }: ServerOptions = {}): Promise<ServerProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-'));
  const removeFolder = () => rm(folder, { recursive: true, force: true });
  try {
    const child = await startChild(
      process.execPath,
      [...BRIEF_RUN_FLAGS, MAIN],
      {
        ...process.env,
        HOST: '127.0.0.1',
        PORT: '0',
        DATABASE_URL: `file:${databaseFile ?? join(folder, 'roster.db')}`,
        LOG_LEVEL: 'info',
        DRAIN_SECONDS: '0',
        ...env,
      },
      findListeningUrl,
    );
    const stop = async (signal?: NodeJS.Signals) => {
      const code = await child.stop(signal);
      await removeFolder();
      return code;
    };
    return {
      ...child,
      stop,
      kill: async () => {
        await stop('SIGKILL');
      },
    };
  } catch (error) {
    await removeFolder();
    throw error;
  }
}
