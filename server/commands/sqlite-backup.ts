import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  DatabaseSync,
  PreparedStatement,
  type SqliteConnection,
} from '../store/database/sqlite-connection.js';

/** Tables that every store has had since the first release. */
const TABLES = ['kysely_migration', 'projects', 'skills', 'agents', 'chatbots', 'models'];

/** How long a lock is waited for, in milliseconds. */
const LOCK_TIMEOUT_MS = 5000;

/**
 * Copies a store into a new file: all that was committed before, nothing half. The file gets its name when
 * it is whole, checked and on the disk.
 *
 * It is done by `VACUUM INTO` (https://www.sqlite.org/lang_vacuum.html#vacuuminto), which reads one snapshot
 * and keeps no writer waiting. SQLite's backup API would begin anew whenever the service writes.
 *
 * @param source the path of the store
 * @returns the size of the copy, in bytes
 * @throws if there is no store, the file exists or its folder does not, the disk is full, or the copy is damaged
 */
export function backUpSqlite(source: string, file: string): number {
  if (!existsSync(source)) throw new Error(`there is no store at ${source} (DATABASE_URL)`);
  refuseUnfit(file);
  // In full: SQLite would take a name that begins with `file:` for a URL.
  const unfinished = `${resolve(file)}.${randomUUID()}.partial`;
  try {
    copy(source, unfinished);
    check(unfinished);
    sync(unfinished, 'r+');
    refuseUnfit(file);
    giveName(unfinished, file);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the backup of ${source} was not made: ${reason}`, { cause });
  }
  // A name is on the disk when its folder is. Windows has no such thing to ask for.
  if (process.platform !== 'win32') sync(dirname(file), 'r');
  return statSync(file).size;
}

/** SQLite would take what lies beside a database, under these names, for a part of it. */
function refuseUnfit(file: string): void {
  const taken = ['', '-wal', '-shm', '-journal'].map((end) => file + end).find(existsSync);
  if (taken !== undefined) throw new Error(`${taken} exists already; choose another name`);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`there is no folder ${folder}; make it first`);
}

/**
 * Gives a file its name, unless something has it, be it only since a moment ago: renaming would replace that.
 * @throws if the name is taken
 */
function giveName(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file);
  } catch {
    // Not every file system has links. The name is first taken by an empty file of our own, if it can be.
    closeSync(openSync(file, 'wx'));
    renameSync(unfinished, file);
    return;
  }
  rmSync(unfinished);
}

function copy(source: string, target: string): void {
  const readableByItsOwner = 0o600;
  closeSync(openSync(target, 'wx', readableByItsOwner));
  // Opened for reading only, it would leave its lock file behind, which the service may not be able to open.
  const existing = pathToFileURL(source);
  existing.search = 'mode=rw';
  const store = new DatabaseSync(existing, { timeout: LOCK_TIMEOUT_MS });
  try {
    store.exec(`vacuum into '${target.replaceAll("'", "''")}'`);
  } finally {
    store.close();
  }
}

/** @throws if a file is damaged, or is no store of Roster */
function check(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const faults = texts(database, 'pragma integrity_check').filter((text) => text !== 'ok');
    if (faults[0] !== undefined) throw new Error(`the copy is damaged: ${faults[0]}`);
    const tables = texts(database, 'select name from sqlite_schema');
    if (!TABLES.every((name) => tables.includes(name))) throw new Error('it is no store of Roster');
  } finally {
    database.close();
  }
}

/** What a query answers in its only column. */
function texts(database: SqliteConnection, sql: string): string[] {
  const rows = new PreparedStatement<Record<string, unknown>>(database, sql).all([]);
  return rows.flatMap((row) => Object.values(row)).map(String);
}

function sync(path: string, mode: 'r' | 'r+'): void {
  const opened = openSync(path, mode);
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}
