import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import pRetry from 'p-retry';
import { migrate } from '../migrations/index.js';
import {
  addFunctions,
  type Databases,
  EmbeddedSqliteDialect,
  type NoteStatementFailure,
  StatementCache,
  singleConnection,
  toKyselyLog,
} from './dialect.js';
import type { Database } from './schema.js';
import { claimStore, mayBeStore } from './sqlite-claim.js';
import { DatabaseSync } from './sqlite-connection.js';
import { errorCode } from './unavailable.js';

/** The longest time that an opening waits for others that use the file, in milliseconds. */
const OPENING_TIMEOUT_MS = 10_000;

/**
 * The pauses between attempts to open a file that others use, in milliseconds. They grow: others that also open it are
 * done at once, while what takes seconds is not worth fifty looks a second.
 */
const OPENING_PAUSE_MS = { first: 20, longest: 200 };

/**
 * The longest time that a statement waits for a lock, in milliseconds. SQLite waits in the calling thread, and everyone
 * with it: an early 503 serves a caller better.
 */
const LOCK_TIMEOUT_MS = 100;

/** The part of the file that each connection keeps in memory; a negative number is in KiB. */
const CACHE_SIZE = -16_000;

/**
 * Opens the SQLite file that a URL names, creates it if it does not exist, and brings its tables up to date. Several
 * threads and processes may open one file at once, and one process may open it several times.
 * @param url `file:PATH`, relative to the working directory, or `:memory:`
 * @param noteFailure gets the error of each statement that fails on the way of writes
 * @param isClaimed whether the file is for this process alone, as that of a service is
 * @returns the database, its path, what marks its state, and what ends the claim. A file has further connections for reads, which would
 *   otherwise wait for whatever transaction is open.
 * @throws if the file cannot be made or read, others lock it for longer than ten seconds, or a later release wrote it, or
 *   another service has claimed it
 */
export async function openSqlite(
  url: string,
  noteFailure: NoteStatementFailure = () => {},
  isClaimed = false,
): Promise<{ databases: Databases; path: string; mark: () => object; unclaim: () => void; migrated: string[] }> {
  const path = url.replace(/^file:/, '');
  if (path !== ':memory:') makeFile(path);
  // Before its tables are migrated.
  const claim = isClaimed && path !== ':memory:' && mayBeStore(path) ? claimStore(path) : undefined;
  const unclaim = () => claim?.close();
  try {
    return { ...(await openFile(path, noteFailure)), path, unclaim };
  } catch (error) {
    unclaim();
    throw error;
  }
}

async function openFile(path: string, noteFailure: NoteStatementFailure) {
  // While it opens, no statement waits: the holder of the lock may be in this very process, and needs the thread.
  const database = new DatabaseSync(path, { timeout: 0 });
  addFunctions(database);
  const statements = new StatementCache(database, noteFailure);
  const db = new Kysely<Database>({ dialect: new EmbeddedSqliteDialect(statements), log: toKyselyLog(noteFailure) });
  let migrated: string[] = [];
  try {
    await whileBusy(async () => {
      // With WAL, only FULL makes a commit outlive a power cut.
      database.exec(`
        pragma journal_mode = WAL;
        pragma synchronous = FULL;
        pragma foreign_keys = ON;
        pragma cache_size = ${CACHE_SIZE};
      `);
      migrated = await migrate(db);
    });
    database.exec(`pragma busy_timeout = ${LOCK_TIMEOUT_MS}`);
  } catch (error) {
    database.close();
    throw error;
  }
  const reads = path === ':memory:' ? {} : await openReads(path);
  const databases = { ...singleConnection(db), ...reads };
  return { databases, mark: statements.mark, migrated };
}

/**
 * Makes the file of a store, and its folder, for its owner alone: it has the data of everybody. SQLite
 * gives the files beside it the same permissions. A file that exists keeps its own.
 * @throws if it is a folder, or the folder cannot be made
 */
function makeFile(path: string): void {
  const file = resolve(path);
  if (existsSync(file)) {
    if (statSync(file).isDirectory()) throw new Error(`${file} is a folder; name a file in it`);
    return;
  }
  makeFolder(dirname(file));
  try {
    closeSync(openSync(file, 'ax', 0o600));
  } catch (error) {
    // Another instance made it at the same time.
    if (errorCode(error) !== 'EEXIST') throw error;
  }
}

/** Not by `recursive`: below `/proc`, Node.js then tries without end. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) {
    if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file, not a folder`);
    return;
  }
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST') return;
    const message = `the folder ${folder} cannot be made (${errorCode(cause)})`;
    throw new Error(`${message}; make it, or name another file`, { cause });
  }
}

type Reads = Pick<Databases, 'reads' | 'snapshots' | 'keys' | 'health'>;

/**
 * Opens a further connection that only reads. Snapshots have another connection than single reads, which would
 * otherwise see the state of a snapshot until it ends.
 */
async function openReads(path: string): Promise<Reads> {
  const reads = await openReadOnly(path);
  return { reads, keys: reads, health: reads, snapshots: await openReadOnly(path) };
}

async function openReadOnly(path: string): Promise<Kysely<Database>> {
  const connection = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  connection.exec(`pragma cache_size = ${CACHE_SIZE}`);
  const dialect = new EmbeddedSqliteDialect(new StatementCache(connection), 'begin');
  const db = new Kysely<Database>({ dialect });
  // Through Kysely, which closes only what it has used.
  await sql`pragma query_only = ON`.execute(db);
  return db;
}

/** Repeats work while others lock the file, with pauses in which the event loop goes on. */
function whileBusy(work: () => Promise<void>): Promise<void> {
  return pRetry(work, {
    retries: Number.POSITIVE_INFINITY,
    factor: 1.2,
    minTimeout: OPENING_PAUSE_MS.first,
    maxTimeout: OPENING_PAUSE_MS.longest,
    maxRetryTime: OPENING_TIMEOUT_MS,
    shouldRetry: ({ error }) => errorCode(error) === 'SQLITE_BUSY',
  });
}
