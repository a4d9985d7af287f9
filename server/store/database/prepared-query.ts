import { type CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';
import { type Dialect, getDialect } from './dialect.js';
import type { Database } from './schema.js';
import { usableStatements } from './sqlite-statements.js';

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
    const statements = isRead || db.isTransaction ? usableStatements(db) : undefined;
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
