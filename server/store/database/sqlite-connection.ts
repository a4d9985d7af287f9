import { pathToFileURL } from 'node:url';
// The package has the API of `node:sqlite`. On Node.js 24 and later, that module can stand here in its place.
import { DatabaseSync } from '@photostructure/sqlite';

/** A connection to a file of SQLite. Everything that opens one gets this class from here. */
export { DatabaseSync };

export type SqliteConnection = InstanceType<typeof DatabaseSync>;

const LOCK_TIMEOUT_MS = 5000;

/**
 * Opens an existing database to read and write. A read-only connection would leave a lock file behind
 * that the service may be unable to open.
 */
export function openExisting(file: string): SqliteConnection {
  const url = pathToFileURL(file);
  url.search = 'mode=rw';
  return new DatabaseSync(url, { timeout: LOCK_TIMEOUT_MS });
}
