import { createHash } from 'node:crypto';
import {
  type Compilable,
  type CompiledQuery,
  type Kysely,
  PostgresAdapter,
  type RawBuilder,
  SqliteAdapter,
  sql,
} from 'kysely';
import type { Database } from './schema.js';
import { PreparedStatement, type SqliteConnection } from './sqlite-connection.js';

/** The few places where the SQL of the databases differs. */
export interface Dialect {
  /** The type of a column of bytes. */
  readonly bytes: 'blob' | 'bytea';
  /** The time by the clock of the database, which all instances share: milliseconds since 1970. */
  readonly now: RawBuilder<number>;
  /** Whether a transaction must lock the rows that it relies on; otherwise it has the whole store to itself. */
  readonly locksRows: boolean;
  /** Returns the length of a text column in bytes of UTF-8. */
  octets(column: string): RawBuilder<number>;
  /**
   * Takes a lock until the end of the transaction, within which this is called; waits for whoever has it.
   * @param name what is locked; of two names in 2⁶⁴, one may stand for both
   */
  lock(db: Kysely<Database>, name: string): Promise<void>;
  /**
   * Takes a lock until the end of the transaction, if nobody else has it.
   * @param name what is locked; of two names in 2⁶⁴, one may stand for both
   */
  tryLock(db: Kysely<Database>, name: string): Promise<boolean>;
}

const sqlite: Dialect = {
  bytes: 'blob',
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  locksRows: false,
  octets: (column) => sql<number>`octet_length(${sql.ref(column)})`,
  // A transaction has the whole store to itself.
  lock: async () => {},
  tryLock: async () => true,
};

const postgres: Dialect = {
  bytes: 'bytea',
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  locksRows: true,
  // The text itself is in the encoding of the database, which may be another.
  octets: (column) => sql<number>`octet_length(convert_to(${sql.ref(column)}, 'UTF8'))`,
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
export function dialectOf(db: Pick<Kysely<unknown>, 'getExecutor'>): Dialect {
  return db.getExecutor().adapter instanceof PostgresAdapter ? postgres : sqlite;
}

/** A number of 64 bits, in decimal, that stands for a name. */
function hashName(name: string): string {
  return createHash('sha256').update(name).digest().readBigInt64BE().toString();
}

/** Stands in a query for a value that each execution gives anew. */
export type Parameter<Values> = <Name extends keyof Values>(name: Name) => RawBuilder<Values[Name]>;

/** Builds a query that only reads. */
type Build<Values, Row> = (db: Kysely<Database>, parameter: Parameter<Values>) => Compilable<Row>;

/** A compiled query, and for each of its parameters the name of its value, if it is not always the same. */
interface Prepared<Values, Row> {
  readonly query: CompiledQuery<Row>;
  readonly names: readonly (keyof Values | undefined)[];
}

/**
 * A query that is built and compiled once for each dialect, and executed with other values each time. Building a
 * query takes Kysely several times as long as SQLite takes to answer it.
 */
export class PreparedQuery<Values, Row> {
  readonly #build: Build<Values, Row>;
  readonly #prepared = new Map<Dialect, Prepared<Values, Row>>();
  readonly #statements = new WeakMap<SqliteConnection, PreparedStatement<Row>>();

  constructor(build: Build<Values, Row>) {
    this.#build = build;
  }

  /** Returns all rows. They are read in the transaction that `db` is bound to, if it is bound to one. */
  async all(db: Kysely<Database>, values: Values): Promise<Row[]> {
    const { query, names } = this.#preparedFor(db);
    const parameters = names.map((name, index) =>
      name === undefined ? query.parameters[index] : values[name],
    );
    const connection = readableNow(db);
    if (connection) return this.#prepareOn(connection, query).all(parameters);
    const { rows } = await db.executeQuery<Row>({ ...query, parameters });
    return rows;
  }

  /** Returns the first row, or undefined if there is none. */
  async first(db: Kysely<Database>, values: Values): Promise<Row | undefined> {
    const [row] = await this.all(db, values);
    return row;
  }

  #preparedFor(db: Kysely<Database>): Prepared<Values, Row> {
    const dialect = dialectOf(db);
    let prepared = this.#prepared.get(dialect);
    if (!prepared) {
      prepared = this.#prepare(db);
      this.#prepared.set(dialect, prepared);
    }
    return prepared;
  }

  #prepare(db: Kysely<Database>): Prepared<Values, Row> {
    const placeholders = new Map<unknown, keyof Values>();
    const query = this.#build(db, (name) => {
      const placeholder = Symbol(String(name));
      placeholders.set(placeholder, name);
      return sql`${placeholder}`;
    }).compile();
    const names = query.parameters.map((parameter) => placeholders.get(parameter));
    return { query, names };
  }

  #prepareOn(connection: SqliteConnection, { sql }: CompiledQuery<Row>): PreparedStatement<Row> {
    let statement = this.#statements.get(connection);
    if (!statement) {
      statement = new PreparedStatement<Row>(connection, sql);
      this.#statements.set(connection, statement);
    }
    return statement;
  }
}

/**
 * Returns the connection to SQLite on which `db` can be read at once, without Kysely's queue and promises:
 * SQLite answers in the calling thread. Returns undefined on PostgreSQL, and while somebody else's transaction is
 * open: what it has written would be seen before it is committed.
 */
function readableNow(
  db: Pick<Kysely<unknown>, 'getExecutor' | 'isTransaction'>,
): SqliteConnection | undefined {
  const { adapter } = db.getExecutor();
  if (!(adapter instanceof EmbeddedSqliteAdapter)) return undefined;
  const { connection } = adapter;
  return db.isTransaction || !connection.isTransaction ? connection : undefined;
}

/** Lets all migrations run in one transaction, so that one that is broken off leaves the store as it was. */
export class EmbeddedSqliteAdapter extends SqliteAdapter {
  constructor(readonly connection: SqliteConnection) {
    super();
  }

  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}
