import { type Compilable, type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { type Dialect, dialectOf } from './dialect.js';
import type { Database } from './schema.js';
import { readableNow } from './sqlite.js';
import { PreparedStatement, type SqliteConnection } from './sqlite-connection.js';

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
    if (connection) return this.#statementOf(connection, query).all(parameters);
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

  #statementOf(connection: SqliteConnection, { sql }: CompiledQuery<Row>): PreparedStatement<Row> {
    let statement = this.#statements.get(connection);
    if (!statement) {
      statement = new PreparedStatement<Row>(connection, sql);
      this.#statements.set(connection, statement);
    }
    return statement;
  }
}
