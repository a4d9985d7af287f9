/** Copies of a store in a file of SQLite, for backups and restores. */

import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { PreparedStatement } from '../store/database/dialect.js';
import { DatabaseSync, openExisting, type SqliteConnection } from '../store/database/sqlite-connection.js';
import { laterRelease, migrations } from '../store/migrations/index.js';

/** The ends of the names of files that SQLite reads as parts of a database. */
export const PARTS = ['', '-wal', '-shm', '-journal'];

/** Tables that every store has had since the first release. */
const TABLES = ['kysely_migration', 'projects', 'skills', 'agents', 'chatbots', 'models'];

/**
 * Makes a checked copy of a store, which is on disk before it gets its name. The copy has every
 * transaction committed before and no part of any other, and is readable by its owner alone.
 *
 * Uses `VACUUM INTO` (https://www.sqlite.org/lang_vacuum.html#vacuuminto), which reads one snapshot
 * and blocks no writer. SQLite's backup API would restart with each write of the service.
 *
 * @param nameCopy gives the unfinished copy its name, `file`
 * @returns the size of the copy, in bytes
 * @throws if the disk is full, the copy is damaged, or is not a store that this release reads
 */
export function copyStore(source: string, file: string, nameCopy: (unfinished: string) => void): number {
  // In full: SQLite would take a name that begins with `file:` for a URL.
  const unfinished = `${resolve(file)}.${randomUUID()}.partial`;
  try {
    copy(source, unfinished);
    check(unfinished);
    sync(unfinished, 'r+');
    nameCopy(unfinished);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  // A file name is durable once its folder is flushed. Windows has no such operation.
  if (process.platform !== 'win32') sync(dirname(file), 'r');
  return statSync(file).size;
}

/**
 * Refuses a name that is taken, and one with a file such as `-wal` next to it, which SQLite would
 * read as a part of the copy.
 * @throws if the name is taken, or its folder does not exist
 */
export function refuseTakenName(file: string): void {
  const taken = PARTS.map((end) => file + end).find(existsSync);
  if (taken !== undefined) throw new Error(`${taken} already exists; choose another name`);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new Error(`there is no folder ${folder}; make it first`);
}

/** Returns a time as a part of a name, such as `20270131T020000123Z`. Such names sort by their time. */
export function nameTime(time: Date): string {
  return time.toISOString().replaceAll(/[-:.]/g, '');
}

/**
 * Names a file without replacing another, even one created a moment ago, as a rename would.
 * @throws if the name is taken
 */
export function nameFile(unfinished: string, file: string): void {
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
  closeSync(openSync(target, 'wx', 0o600));
  const store = openExisting(source);
  try {
    store.exec(`vacuum into '${target.replaceAll("'", "''")}'`);
  } finally {
    store.close();
  }
}

/** @throws if a file is damaged, or is not a store that this release reads */
function check(file: string): void {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const faults = readTexts(database, 'pragma integrity_check').filter((text) => text !== 'ok');
    if (faults[0] !== undefined) throw new Error(`the copy is damaged: ${faults[0]}`);
    const tables = readTexts(database, 'select name from sqlite_schema');
    if (!TABLES.every((name) => tables.includes(name))) throw new Error('it is not a Roster store');
    const steps = readTexts(database, 'select name from kysely_migration');
    if (!steps.every((name) => name in migrations)) {
      throw laterRelease();
    }
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
