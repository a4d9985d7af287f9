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
import { Command } from 'commander';
import { PreparedStatement } from '../store/database/dialect.js';
import { DatabaseSync, type SqliteConnection } from '../store/database/sqlite-connection.js';
import { isPostgres } from '../store/index.js';
import { findSharedStore } from './on-store.js';

export const backupCommand = new Command('backup')
  .description('copy the SQLite store at DATABASE_URL into a new file, even while the service runs')
  .argument('<file>', 'the copy, a file that does not exist yet')
  .action((file: string) => {
    const url = findSharedStore();
    if (isPostgres(url)) {
      throw new Error(
        'the store is in PostgreSQL, which has its own backup: pg_dump --format=custom --file=FILE "$DATABASE_URL"',
      );
    }
    const bytes = backUpSqlite(url.replace(/^file:/, ''), file);
    process.stdout.write(`The store is in ${file}: ${bytes} bytes, checked.\n`);
  });

/** Tables that every store has had since the first release. */
const TABLES = ['kysely_migration', 'projects', 'skills', 'agents', 'chatbots', 'models'];

const LOCK_TIMEOUT_MS = 5000;

/**
 * Copies a store into a new file, with every transaction committed before and no part of any other.
 * The file gets its name only after the copy is complete, checked and flushed to disk.
 *
 * Uses `VACUUM INTO` (https://www.sqlite.org/lang_vacuum.html#vacuuminto), which reads one snapshot
 * and blocks no writer. SQLite's backup API would restart with each write of the service.
 *
 * @param source the path of the store
 * @returns the size of the copy, in bytes
 * @throws if there is no store, the file exists or its folder does not, the disk is full, or the
 *   copy is damaged
 */
export function backUpSqlite(source: string, file: string): number {
  if (!existsSync(source)) throw new Error(`there is no store at ${source} (DATABASE_URL)`);
  refuseTakenName(file);
  // In full: SQLite would take a name that begins with `file:` for a URL.
  const unfinished = `${resolve(file)}.${randomUUID()}.partial`;
  try {
    copy(source, unfinished);
    check(unfinished);
    sync(unfinished, 'r+');
    refuseTakenName(file);
    nameFile(unfinished, file);
  } catch (cause) {
    rmSync(unfinished, { force: true });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the backup of ${source} was not made: ${reason}`, { cause });
  }
  // A file name is durable once its folder is flushed. Windows has no such operation.
  if (process.platform !== 'win32') sync(dirname(file), 'r');
  return statSync(file).size;
}

/**
 * Refuses a name that is taken, and one with a file such as `-wal` next to it, which SQLite would
 * read as a part of the copy.
 */
function refuseTakenName(file: string): void {
  const taken = ['', '-wal', '-shm', '-journal'].map((end) => file + end).find(existsSync);
  if (taken !== undefined) throw new Error(`${taken} already exists; choose another name`);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`there is no folder ${folder}; make it first`);
}

/**
 * Names a file without replacing another, even one created a moment ago, as a rename would.
 * @throws if the name is taken
 */
function nameFile(unfinished: string, file: string): void {
  try {
    linkSync(unfinished, file);
  } catch {
    // Not every file system has links. Reserve the name with an empty file first.
    closeSync(openSync(file, 'wx'));
    renameSync(unfinished, file);
    return;
  }
  rmSync(unfinished);
}

function copy(source: string, target: string): void {
  // Readable by its owner alone.
  closeSync(openSync(target, 'wx', 0o600));
  // A read-only connection would leave a lock file behind that the service may be unable to open.
  const existing = pathToFileURL(source);
  existing.search = 'mode=rw';
  const store = new DatabaseSync(existing, { timeout: LOCK_TIMEOUT_MS });
  try {
    store.exec(`vacuum into '${target.replaceAll("'", "''")}'`);
  } finally {
    store.close();
  }
}

/** @throws if a file is damaged, or is not a store of Roster */
function check(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const faults = readTexts(database, 'pragma integrity_check').filter((text) => text !== 'ok');
    if (faults[0] !== undefined) throw new Error(`the copy is damaged: ${faults[0]}`);
    const tables = readTexts(database, 'select name from sqlite_schema');
    if (!TABLES.every((name) => tables.includes(name))) throw new Error('it is not a Roster store');
  } finally {
    database.close();
  }
}

/** Returns the values of a query's only column. */
function readTexts(database: SqliteConnection, sql: string): string[] {
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
