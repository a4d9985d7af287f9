import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createRosterClient, type RosterClient } from 'roster-client';
import { tooOld } from '../../server/node-version.js';
import { findListeningUrl } from '../../testkit/service/child-process.js';

const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const HOST = '127.0.0.1';

export const say = (line = '') => process.stdout.write(`${line}\n`);

/**
 * Plays a demo on the service with a fresh store, which then runs until somebody stops it.
 * @param prepare makes what the service needs in a separate folder, and returns its settings
 */
export async function runDemo(
  prepare: (folder: string) => Promise<NodeJS.ProcessEnv>,
  play: (roster: RosterClient, url: string) => Promise<void>,
): Promise<void> {
  const fault = tooOld();
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`);
    process.exit(1);
  }
  const folder = await mkdtemp(join(tmpdir(), 'roster-demo-'));
  try {
    const service = await startService(join(folder, 'roster.db'), await prepare(folder));
    const { url } = service;
    try {
      say(`Roster runs at ${url}, with a fresh store.`);
      await play(createRosterClient({ baseUrl: url }), url);
      await service.untilStopped;
    } finally {
      await service.stop();
    }
  } catch (error) {
    if (!(error instanceof DidNotStart)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The service in its own process, as `npm start` would run it. */
interface Service {
  readonly url: string;
  /** Resolves when the process has ended, on Ctrl-C for example. */
  readonly untilStopped: Promise<unknown>;
  stop(): Promise<void>;
}

/** The service ended before it listened. The message is one line, which says why and what to do. */
class DidNotStart extends Error {}

/**
 * Starts the service with a database file, on PORT, or 4000 without it.
 * @param env variables beside those of this process
 * @throws {DidNotStart} if another program has the port, for example
 */
async function startService(databaseFile: string, env: NodeJS.ProcessEnv): Promise<Service> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      HOST,
      BASE_PATH: '',
      DATABASE_URL: `file:${databaseFile}`,
      LOG_LEVEL: 'info',
      DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const untilStopped = once(child, 'exit');
  const stop = async () => {
    child.kill();
    await untilStopped;
  };
  // Ctrl-C reaches both processes; this one waits for the service, and cleans up. Other signals, such as
  // SIGTERM, reach only this one.
  process.on('SIGINT', () => child.kill());
  process.on('SIGTERM', () => child.kill());
  return { url: await untilListening(child), untilStopped, stop };
}

/** Pino's level of warnings. */
const WARNING = 40;

/**
 * Returns the address that the service writes to its log, as another program may answer at the one that it was
 * to have. Hands on its warnings.
 */
function untilListening(child: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  return new Promise((resolve, reject) => {
    const errors: string[] = [];
    let keep = (line: string) => void errors.push(line);
    createInterface(child.stderr).on('line', (line) => keep(line));
    createInterface(child.stdout).on('line', (line) => {
      const url = findListeningUrl(line);
      if (url !== undefined) {
        keep = (error) => void process.stderr.write(`${error}\n`);
        resolve(url);
      }
      if (Number(/^\{"level":(\d+)/.exec(line)?.[1]) >= WARNING) process.stdout.write(`${line}\n`);
    });
    child.once('close', () => {
      const reason = errors.join(' ');
      const command = process.env['npm_lifecycle_event'] ?? 'demo';
      const example = reason.includes('PORT') ? `, such as PORT=4001 npm run ${command}` : '';
      reject(new DidNotStart(`${reason}${example}`));
    });
  });
}
