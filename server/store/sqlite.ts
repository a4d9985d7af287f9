import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import SqliteDatabase, { type Database as SqliteConnection } from 'better-sqlite3';
import type { DatabaseConnection, SqliteDialectConfig } from 'kysely';
import pRetry from 'p-retry';
import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  sql,
} from './kysely.js';
import type { Database } from './schema.js';

/** How long to wait for others who open the same file, in milliseconds. */
const OPENING = 10_000;

/**
 * Opens the SQLite file that a URL names, and makes it if it is not there.
 * @param url `file:PATH`, relative to the working directory, or `:memory:`
 * @returns what it is asked through, and a mark that is another one whenever anything in it may have
 *   changed: SQLite tells of the commits of other connections (`pragma data_version`), and our own are counted
 */
export async function openSqlite(
  url: string,
): Promise<{ db: Kysely<Database>; mark: () => string }> {
  const path = url.replace(/^file:/, '');
  if (path !== ':memory:') mkdirSync(dirname(path), { recursive: true });
  const database = new SqliteDatabase(path);
  // With WAL, only FULL makes a commit outlive a power cut. Another process may be migrating the store: until
  // that is done there is nobody else to keep waiting.
  database.exec(`
    pragma busy_timeout = ${OPENING};
    pragma synchronous = FULL;
    pragma foreign_keys = ON;
  `);
  await writeAhead(database);
  const prepared = new PreparedOnce(database);
  const db = new Kysely<Database>({ dialect: new WritingSqliteDialect(database, prepared) });
  const othersChanges = database.prepare('pragma data_version').pluck();
  let seen: unknown;
  const mark = () => {
    // Asked once in a turn of the event loop: requests of one turn had all arrived when it began.
    if (seen === undefined) {
      seen = othersChanges.get();
      setImmediate(() => {
        seen = undefined;
      });
    }
    return `${seen} ${prepared.writes}`;
  };
  return { db, mark };
}

/**
 * Has the file written ahead. Of those who open a new file at once each reads it before it writes, so that none
 * may wait for the others, and SQLite refuses all but one without delay: they ask again.
 */
async function writeAhead(database: SqliteConnection): Promise<void> {
  try {
    await pRetry(() => database.pragma('journal_mode = WAL'), {
      retries: Number.POSITIVE_INFINITY,
      factor: 1,
      minTimeout: 20,
      maxRetryTime: OPENING,
      shouldRetry: ({ error }) =>
        error instanceof SqliteDatabase.SqliteError && error.code.startsWith('SQLITE_BUSY'),
    });
  } catch (error) {
    database.close();
    throw error;
  }
}

class WritingSqliteDialect extends SqliteDialect {
  constructor(
    private readonly connection: SqliteConnection,
    private readonly prepared: PreparedOnce,
  ) {
    super({ database: connection });
  }

  override createDriver(): SqliteDriver {
    return new WritingSqliteDriver(this.connection, this.prepared);
  }

  override createAdapter(): SqliteAdapter {
    return new EmbeddedSqliteAdapter(this.connection);
  }
}

/**
 * Returns the connection to SQLite on which `db` can be read at once, without Kysely's queue and promises:
 * SQLite answers in the calling thread. Returns undefined on PostgreSQL, and while somebody else's transaction is
 * open: what it has written would be seen before it is committed.
 */
export function readableNow(
  db: Pick<Kysely<unknown>, 'getExecutor' | 'isTransaction'>,
): SqliteConnection | undefined {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof EmbeddedSqliteAdapter)) return undefined;
  const { connection } = adapter;
  return db.isTransaction || !connection.inTransaction ? connection : undefined;
}

/** Lets all migrations run in one transaction, so that one that is broken off leaves the store as it was. */
class EmbeddedSqliteAdapter extends SqliteAdapter {
  constructor(readonly connection: SqliteConnection) {
    super();
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }

  /** A table that others refer to can only be rebuilt while foreign keys are off, which no transaction can do. */
  override async acquireMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`pragma foreign_keys = OFF`.execute(db);
  }

  /**
   * From here on there are requests. SQLite waits for a lock in the calling thread, and everyone with it:
   * better to be told soon, and say 503.
   */
  override async releaseMigrationLock(db: Kysely<unknown>): Promise<void> {
    await sql`pragma foreign_keys = ON`.execute(db);
    await sql`pragma busy_timeout = 100`.execute(db);
  }
}

/** All our transactions write. */
class WritingSqliteDriver extends SqliteDriver {
  constructor(
    private readonly connection: SqliteConnection,
    prepared: PreparedOnce,
  ) {
    super({ database: prepared });
  }

  /** A transaction that asks for the write lock only when it writes is refused at once, not after the timeout. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** Of some errors, such as a full disk, SQLite rolls back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.connection.inTransaction) await super.rollbackTransaction(connection);
  }
}

type Preparing = Exclude<SqliteDialectConfig['database'], () => unknown>;
type Statement = ReturnType<Preparing['prepare']>;

/**
 * Prepares each statement once and keeps it. That is faster; and since Node 24.19 the process aborts when
 * a statement of better-sqlite3 12 is collected as garbage. There are few: our queries have no values in
 * their text, and lists of ids come in few lengths (see `lookup`).
 */
class PreparedOnce implements Preparing {
  readonly #statements = new Map<string, Statement>();
  readonly #connection: SqliteConnection;
  #writes = 0;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  /** How many statements there were that may have changed something. */
  get writes(): number {
    return this.#writes;
  }

  /** Kysely asks for a statement each time that it runs it. */
  prepare(sql: string): Statement {
    if (!sql.startsWith('select ')) this.#writes += 1;
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = this.#connection.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    this.#connection.close();
  }
}
