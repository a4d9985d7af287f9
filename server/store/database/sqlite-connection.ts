// The package has the API of `node:sqlite`. On Node.js 24 and later, that module can stand here in its place.
import { DatabaseSync } from '@photostructure/sqlite';

/** A connection to a file of SQLite. Everything that opens one gets this class from here. */
export { DatabaseSync };

export type SqliteConnection = InstanceType<typeof DatabaseSync>;
