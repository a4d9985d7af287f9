import { createHash, hash } from 'node:crypto';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  type Logger,
  PostgresAdapter,
  type RawBuilder,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely';
import type { Database } from './schema.js';
import type { SqliteConnection } from './sqlite-connection.js';

/**
 * The ways to the database, one for each kind of work. On PostgreSQL each is a separate pool of connections,
 * so that work that waits for a lock leaves the other kinds their connections. SQLite has one connection that writes,
 * one for reads and one for snapshots. Within a transaction, all are the same connection.
 */
export interface Databases {
  readonly reads: Kysely<Database>;
  /** The transactions of requests. */
  readonly writes: Kysely<Database>;
  /** Trainings, their tables and models, and housekeeping: statements that may take longer. */
  readonly work: Kysely<Database>;
  /** Transactions that only read, and may read much: see `Store.snapshot`. */
  readonly snapshots: Kysely<Database>;
  readonly searches: Kysely<Database>;
  readonly keys: Kysely<Database>;
  /** Readiness, and the cancellation of searches: statements that take no time. */
  readonly health: Kysely<Database>;
}

/** Sends every kind of work the same way. */
export function singleConnection(db: Kysely<Database>): Databases {
  const kinds = { reads: db, writes: db, work: db, snapshots: db };
  return { ...kinds, searches: db, keys: db, health: db };
}

/** Runs work in one transaction: in the one that `db` is bound to, or else in a new one. */
export function inTransaction<T>(db: Kysely<Database>, work: (db: Kysely<Database>) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}

/** Takes the error of a statement that failed. */
export type NoteStatementFailure = (error: unknown) => void;

/** Returns a log of Kysely that notes the errors of statements. */
export function toKyselyLog(noteFailure: NoteStatementFailure): Logger {
  return (event) => {
    if (event.level === 'error') noteFailure(event.error);
  };
}

/** The few places where the SQL of the databases differs. */
export interface Dialect {
  /** The type of a column of bytes. */
  readonly bytes: 'blob' | 'bytea';
  /** The time by the clock of the database, which all instances share: milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  /** True if a transaction must lock the rows that it relies on; otherwise it has the whole store to itself. */
  readonly locksRows: boolean;
  /** Returns the length of a text column in bytes of UTF-8. */
  octets(column: string): RawBuilder<number>;
  /** Returns the SHA-256 of a text in UTF-8, in hexadecimal. */
  sha256(text: RawBuilder<string>): RawBuilder<string>;
  /** The bytes that the database takes on its disk, without the log of writes. */
  readonly size: RawBuilder<number>;
  /** Takes a lock until the end of the transaction of `db`; waits for its holder. */
  lock(db: Kysely<Database>, name: string): Promise<void>;
  /** Takes a lock until the end of the transaction of `db`, if nobody else has it. */
  tryLock(db: Kysely<Database>, name: string): Promise<boolean>;
}

const sqlite: Dialect = {
  bytes: 'blob',
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  locksRows: false,
  octets: (column) => sql<number>`octet_length(${sql.ref(column)})`,
  sha256: (text) => sql<string>`sha256(${text})`,
  size: sql<number>`(select page_count * page_size from pragma_page_count, pragma_page_size)`,
  // A transaction has the whole store to itself.
  lock: async () => {},
  tryLock: async () => true,
};

/** Adds the functions that the statements for SQLite use. */
export function addFunctions(connection: SqliteConnection): void {
  connection.function('sha256', { deterministic: true }, (text: unknown) => hash('sha256', String(text)));
}

const postgres: Dialect = {
  bytes: 'bytea',
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  locksRows: true,
  // The text itself is in the encoding of the database, which may be another.
  octets: (column) => sql<number>`octet_length(convert_to(${sql.ref(column)}, 'UTF8'))`,
  sha256: (text) => sql<string>`encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`,
  size: sql<number>`pg_database_size(current_database())`,
  lock: async (db, name) => {
    await sql`select pg_advisory_xact_lock(cast(${hashName(name)} as bigint))`.execute(db);
  },
  tryLock: async (db, name) => {
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_xact_lock(cast(${hashName(name)} as bigint)) as locked
    `.execute(db);
    return rows[0]?.locked ?? false;
  },
};

/** The dialect of the database that a connection leads to. */
export function getDialect(db: Pick<Kysely<unknown>, 'getExecutor'>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}

/** Returns 64 bits in decimal. One pair of names in 2⁶⁴ collides. */
function hashName(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

/** Stands in a query for a value that each execution gives anew. */
export type Parameter<Values> = <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>;

/** A query that Kysely or `sql` builds. */
interface Built<Row> {
  compile(db: Kysely<Database>): CompiledQuery<Row>;
}

interface Prepared<Values, Row> {
  readonly query: CompiledQuery<Row>;
  /** For each parameter, the name of its value, if it is not always the same. */
  readonly names: readonly (keyof Values | undefined)[];
  readonly isRead: boolean;
}

/**
 * A query that is built and compiled once for each dialect, and executed with other values each time. Building a
 * query takes Kysely several times as long as SQLite takes to answer it.
 */
export class PreparedQuery<Values, Row> {
  readonly #prepared = new Map<Dialect, Prepared<Values, Row>>();

  constructor(private readonly build: (db: Kysely<Database>, parameter: Parameter<Values>) => Built<Row>) {}

  /** Returns all rows. The query runs in the transaction that `db` is bound to, if it is bound to one. */
  async all(db: Kysely<Database>, values: Values): Promise<Row[]> {
    const { query, names, isRead } = this.#prepare(db);
    const parameters = [...query.parameters];
    for (const [index, name] of names.entries()) if (name !== undefined) parameters[index] = values[name];
    const statements = isRead || db.isTransaction ? usableNow(db) : undefined;
    if (statements) return statements.execute<Row>(query.sql, parameters);
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows;
  }

  /** Returns the first row, or undefined if there is none. */
  async first(db: Kysely<Database>, values: Values): Promise<Row | undefined> {
    const [row] = await this.all(db, values);
    return row;
  }

  #prepare(db: Kysely<Database>): Prepared<Values, Row> {
    const dialect = getDialect(db);
    const known = this.#prepared.get(dialect);
    if (known) return known;
    const placeholders = new Map<unknown, keyof Values>();
    const query = this.build(db, (name) => {
      const placeholder = Symbol(String(name));
      placeholders.set(placeholder, name);
      return sql`${placeholder}`;
    }).compile(db);
    const names = query.parameters.map((parameter) => placeholders.get(parameter));
    const prepared = { query, names, isRead: query.query.kind === 'SelectQueryNode' };
    this.#prepared.set(dialect, prepared);
    return prepared;
  }
}

/**
 * Returns the statements of SQLite if `db` can be used at once, without Kysely's queue and promises: SQLite
 * answers in the calling thread. Returns undefined on PostgreSQL, and while somebody else's transaction is
 * open: what it has written would be seen before it is committed.
 */
function usableNow(db: Pick<Kysely<unknown>, 'getExecutor' | 'isTransaction'>): StatementCache | undefined {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof EmbeddedSqliteAdapter)) return undefined;
  const { statements } = adapter;
  return db.isTransaction || !statements.connection.isTransaction ? statements : undefined;
}

/** A statement that is prepared once and executed with other values each time; Kysely can run it. */
export class PreparedStatement<Row = unknown> {
  readonly reader: boolean;
  readonly #statement: ReturnType<SqliteConnection['prepare']>;
  readonly #columns: readonly string[];

  /** @param connection is kept: one that nothing refers to is closed as garbage, and its statements with it */
  constructor(
    readonly connection: SqliteConnection,
    sql: string,
  ) {
    this.#statement = connection.prepare(sql);
    this.#columns = this.#statement.columns().map(({ name }) => name);
    this.reader = this.#columns.length > 0;
    // The objects that SQLite would return have no prototype, and are slow to make and to read.
    this.#statement.setReturnArrays(true);
  }

  /** Returns all rows, of the type that the query declares: SQLite does not know it. */
  all<R = Row>(parameters: readonly unknown[]): R[] {
    const rows = this.#statement.all(...parameters);
    for (let index = 0; index < rows.length; index += 1) rows[index] = this.#toRow(rows[index]);
    return rows;
  }

  /** Returns the value of the first column of the first row; undefined if there is no row. */
  value(): unknown {
    const row: unknown = this.#statement.get();
    return Array.isArray(row) ? row[0] : undefined;
  }

  run(parameters: readonly unknown[]) {
    return this.#statement.run(...parameters);
  }

  *iterate(parameters: readonly unknown[]): Generator<unknown, void> {
    for (const values of this.#statement.iterate(...parameters)) yield this.#toRow(values);
  }

  #toRow(values: readonly unknown[]): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    // Without an iterator: this is on the way of every read.
    for (let index = 0; index < values.length; index += 1) {
      row[this.#columns[index] ?? ''] = values[index];
    }
    return row;
  }
}

/**
 * Prepares each statement once and keeps it, which is faster. There are few: our queries have no values in their
 * text, and lists of ids come in few lengths (see `lookup`).
 */
export class StatementCache {
  readonly #statements = new Map<string, PreparedStatement>();
  #dataVersion: PreparedStatement | undefined;
  #othersChanges: unknown;
  #mark: { readonly others?: unknown; readonly writes: number } = { writes: 0 };
  /** The number of statements that may have changed something. */
  writes = 0;

  /** @param noteFailure gets the error of each statement that is executed without Kysely */
  constructor(
    readonly connection: SqliteConnection,
    private readonly noteFailure: NoteStatementFailure = () => {},
  ) {}

  /** Executes a statement, and returns its rows. */
  execute<Row>(sql: string, parameters: readonly unknown[]): Row[] {
    const statement = this.prepare(sql);
    try {
      if (statement.reader) return statement.all<Row>(parameters);
      statement.run(parameters);
      return [];
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
  }

  prepare(sql: string): PreparedStatement {
    if (!sql.startsWith('select ')) this.writes += 1;
    const known = this.#statements.get(sql);
    if (known) return known;
    const statement = new PreparedStatement(this.connection, sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  /**
   * Returns a mark that is another object whenever anything may have changed: SQLite reports the commits of
   * other connections, and our own are counted.
   */
  readonly mark = (): object => {
    // Asked once in a turn of the event loop: requests of one turn had all arrived when it began.
    if (this.#othersChanges === undefined) {
      this.#dataVersion ??= new PreparedStatement(this.connection, 'pragma data_version');
      this.#othersChanges = this.#dataVersion.value();
      setImmediate(() => {
        this.#othersChanges = undefined;
      });
    }
    const { others, writes } = this.#mark;
    if (others !== this.#othersChanges || writes !== this.writes) {
      this.#mark = { others: this.#othersChanges, writes: this.writes };
    }
    return this.#mark;
  };

  close(): void {
    this.connection.close();
  }
}

/** Lets Kysely use a connection to SQLite. */
export class EmbeddedSqliteDialect extends SqliteDialect {
  /** @param begin begins a transaction: by default, one that writes */
  constructor(
    private readonly statements: StatementCache,
    private readonly begin: 'begin' | 'begin immediate' = 'begin immediate',
  ) {
    super({ database: statements });
  }

  override createDriver(): SqliteDriver {
    return new EmbeddedSqliteDriver(this.statements, this.begin);
  }

  override createAdapter(): SqliteAdapter {
    return new EmbeddedSqliteAdapter(this.statements);
  }
}

class EmbeddedSqliteDriver extends SqliteDriver {
  constructor(
    private readonly statements: StatementCache,
    private readonly begin: string,
  ) {
    super({ database: statements });
  }

  /** A transaction that asks for the write lock only when it writes is refused at once, not after the timeout. */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw(this.begin));
  }

  /** After some errors, such as a full disk, SQLite rolls back by itself. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.statements.connection.isTransaction) await super.rollbackTransaction(connection);
  }
}

/** Lets all migrations run in one transaction, so that one that is broken off leaves the store as it was. */
class EmbeddedSqliteAdapter extends SqliteAdapter {
  constructor(readonly statements: StatementCache) {
    super();
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
