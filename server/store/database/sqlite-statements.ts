import { hash } from 'node:crypto';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Kysely,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
} from 'kysely';
import type { NoteStatementFailure } from './dialect.js';
import type { SqliteConnection } from './sqlite-connection.js';

/** Adds the functions that the statements for SQLite use. */
export function addFunctions(connection: SqliteConnection): void {
  connection.function('sha256', { deterministic: true }, (text: unknown) => hash('sha256', String(text)));
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

/**
 * Returns the statements of SQLite if `db` can be used at once, without Kysely's queue and promises: SQLite
 * answers in the calling thread. Returns undefined on PostgreSQL, and while somebody else's transaction is
 * open: what it has written would be seen before it is committed.
 */
export function usableStatements(
  db: Pick<Kysely<unknown>, 'getExecutor' | 'isTransaction'>,
): StatementCache | undefined {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof EmbeddedSqliteAdapter)) return undefined;
  const { statements } = adapter;
  return db.isTransaction || !statements.connection.isTransaction ? statements : undefined;
}
