import { closeSync, existsSync, openSync, readSync, realpathSync } from 'node:fs';
import { hostname } from 'node:os';
import { PreparedStatement } from './dialect.js';
import { DatabaseSync, type SqliteConnection } from './sqlite-connection.js';
import { isLocked } from './unavailable.js';

/** The end of the name of the file beside a store that says which service uses it. */
const END = '-service';

/** The service that uses a store. */
interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/**
 * Claims the file of a store for this process, until `close` is called or the process ends, however it does: the claim is
 * a lock of SQLite on a file beside the store, which the system takes back from a process that is gone.
 * @param path of the store, which exists
 * @returns the connection that has the lock
 * @throws if another service has claimed it; the message names the other service
 */
export function claimStore(path: string): SqliteConnection {
  const file = `${realpathSync(path)}${END}`;
  // One that exists is not opened: closing it would take the locks of this process on it (POSIX).
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const connection = new DatabaseSync(file, { timeout: 0 });
  try {
    connection.exec('begin immediate');
    writeHolder(connection);
    return connection;
  } catch (error) {
    const isTaken = isLocked(error);
    const holder = isTaken ? readHolder(connection) : undefined;
    connection.close();
    if (!isTaken) throw error;
    const who = holder
      ? `the service with process id ${holder.pid} on ${holder.host} uses it since ${holder.since}`
      : 'another service uses it';
    throw new Error(`${who}; stop that one first, or keep the store in PostgreSQL for several instances`);
  }
}

/** Writes who has the lock, which others can read while it is held. A disk that is full leaves it unwritten. */
function writeHolder(connection: SqliteConnection): void {
  try {
    connection.exec('create table if not exists service (pid integer, host text, since text); delete from service');
    const insert = new PreparedStatement(connection, 'insert into service values (?, ?, ?)');
    insert.run([process.pid, hostname(), new Date().toISOString()]);
    connection.exec('commit');
  } catch {
    if (connection.isTransaction) connection.exec('rollback');
  }
  connection.exec('begin immediate');
}

/** The first bytes of a file of SQLite (https://www.sqlite.org/fileformat.html#magic_header_string). */
const MAGIC = Buffer.from('SQLite format 3\0');

/** Returns whether a file is one of SQLite, or empty: nothing is written beside another that was named by mistake. */
export function mayBeStore(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const begin = Buffer.alloc(MAGIC.length);
    const length = readSync(file, begin, 0, begin.length, 0);
    return length === 0 || begin.equals(MAGIC);
  } finally {
    closeSync(file);
  }
}

function readHolder(connection: SqliteConnection): Holder | undefined {
  try {
    const [row] = new PreparedStatement<Holder>(connection, 'select pid, host, since from service').all([]);
    return row;
  } catch {
    // It has just begun to write its name.
    return undefined;
  }
}
