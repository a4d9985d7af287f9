// The package has the API of `node:sqlite`. On Node.js 24 and later, that module can stand here in its place.
import { DatabaseSync } from '@photostructure/sqlite';

/** A connection to a file of SQLite. Everything that opens one gets this class from here. */
export { DatabaseSync };

export type SqliteConnection = InstanceType<typeof DatabaseSync>;

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
