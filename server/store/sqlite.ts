import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database as SqliteConnection } from 'better-sqlite3';
import {
  CompiledQuery,
  type DatabaseConnection,
  Kysely,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import type { Database } from './schema.js';

/**
 * Opens the SQLite file that a URL names, and makes it if it is not there.
 * @param url `file:PATH`, relative to the working directory, or `:memory:`
 */
export function openSqlite(url: string): Kysely<Database> {
  const path = url.replace(/^file:/, '');
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new SqliteDatabase(path);
  database.pragma('journal_mode = WAL');
  // With WAL, only FULL makes a commit outlive a power cut.
  database.pragma('synchronous = FULL');
  database.pragma('foreign_keys = ON');
  // SQLite waits in the calling thread, and everyone with it: better to be told soon, and say 503.
  database.pragma('busy_timeout = 100');
  return new Kysely({ dialect: new WritingSqliteDialect(database) });
}

/** All our transactions write. */
class WritingSqliteDialect extends SqliteDialect {
  constructor(private readonly database: SqliteConnection) {
    super({ database });
  }

  override createDriver(): SqliteDriver {
    return new WritingSqliteDriver(this.database);
  }
}

class WritingSqliteDriver extends SqliteDriver {
  constructor(private readonly database: SqliteConnection) {
    super({ database });
  }

  /** A transaction that asks for the write lock only when it writes is refused at once, not after the timeout. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Of some errors, such as a full disk, SQLite rolls back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.database.inTransaction) await super.rollbackTransaction(connection);
  }
}
