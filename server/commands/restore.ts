import { existsSync, lchownSync, linkSync, realpathSync, renameSync, statSync } from 'node:fs';
import { Command } from 'commander';
import { openExisting, type SqliteConnection } from '../store/database/sqlite-connection.js';
import { isPostgres } from '../store/index.js';
import { findSharedStore } from './on-store.js';
import { copyStore, nameFile, nameTime, PARTS, refuseTakenName } from './store-copy.js';

export const restoreCommand = new Command('restore')
  .description('put a backup in the place of the SQLite store at DATABASE_URL, which no service uses')
  .argument('<file>', 'the backup, which stays where it is')
  .action((file: string) => {
    const url = findSharedStore();
    if (isPostgres(url)) {
      throw new Error(
        'the store is in PostgreSQL, which has its own restore: pg_restore --no-owner --exit-on-error --dbname=URL FILE',
      );
    }
    const store = url.replace(/^file:/, '');
    const { bytes, kept } = restoreSqlite(file, store);
    const before = kept === undefined ? '' : ` The store before it is in ${kept}.`;
    process.stdout.write(`The backup is in ${store}: ${bytes} bytes, checked.${before}\n`);
  });

/**
 * Puts a copy of a backup in the place of a store, after the copy is complete, checked and flushed to disk. The
 * store before it is kept beside it. At each moment the name has one of the two.
 *
 * @param file the path of the backup
 * @param store the path of the store, which need not exist
 * @returns the size of the store in bytes, and the name that the store before it has now
 * @throws if there is no backup, it is damaged or of a later release, the disk is full, or the store is in use
 */
function restoreSqlite(file: string, store: string): { readonly bytes: number; readonly kept: string | undefined } {
  if (!existsSync(file)) throw new Error(`there is no backup at ${file}`);
  const isThere = existsSync(store);
  if (!isThere) refuseTakenName(store);
  else if (realpathSync(file) === realpathSync(store)) throw new Error(`${file} is the store itself`);
  const kept = isThere ? `${store}.before-${nameTime(new Date())}` : undefined;
  const locked = isThere ? lockStore(store) : undefined;
  try {
    const bytes = copyStore(file, store, (unfinished) => {
      if (kept === undefined) return nameFile(unfinished, store);
      keepOwner(store, unfinished);
      keepStore(store, kept);
      renameSync(unfinished, store);
    });
    return { bytes, kept };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file} was not restored: ${reason}`, { cause });
  } finally {
    locked?.close();
  }
}

/**
 * Locks a store for all others, and merges its log into it, so that it is one file. Leaving WAL mode needs a
 * connection that is the only one (https://www.sqlite.org/wal.html#persistence_of_wal_mode).
 * @returns the connection that holds the lock; undefined if the store is too damaged for one
 * @throws if a service uses the store
 */
function lockStore(store: string): SqliteConnection | undefined {
  const connection = openExisting(store);
  try {
    connection.exec('pragma journal_mode = delete; begin exclusive');
    return connection;
  } catch (error) {
    connection.close();
    if (error instanceof Error && /locked|busy/.test(error.message)) {
      throw new Error(`a service uses the store at ${store}; stop it first`);
    }
    return undefined;
  }
}

/** Gives a copy that root has made to the user of the store before it, since a service that is not root has to open it. */
function keepOwner(store: string, copy: string): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(store);
  // The folder may belong to that user, who could put a link in the place of the copy.
  lchownSync(copy, uid, gid);
}

/** Gives a store a second name, and moves the files that its successor must not be read with. */
function keepStore(store: string, kept: string): void {
  nameTwice(store, kept);
  for (const end of PARTS.slice(1)) {
    if (existsSync(store + end)) renameSync(store + end, kept + end);
  }
}

function nameTwice(store: string, kept: string): void {
  try {
    linkSync(store, kept);
  } catch {
    // Not every file system has links. For a moment, no file has the name of the store.
    renameSync(store, kept);
  }
}
