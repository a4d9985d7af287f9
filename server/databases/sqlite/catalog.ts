import { DatabaseSync, type SqliteConnection } from '../../store/database/sqlite-connection.js';
import { type ColumnDescription, quoteName, type TableDescription } from '../driver.js';
import { missingTable, systemTable } from '../query-error.js';

/** The largest string, blob or row that SQLite makes, in bytes. */
const MAX_VALUE = 1024 * 1024;

/** The longest wait for a lock, in milliseconds. Writers lock a file for moments. */
const LOCK_TIMEOUT_MS = 2_000;

const LIMITS = {
  length: MAX_VALUE,
  exprDepth: 200,
  compoundSelect: 50,
  vdbeOp: 100_000,
  attach: 0,
  likePatternLength: 1_000,
  triggerDepth: 0,
};

/**
 * Opens a file of SQLite for hostile SQL, as https://sqlite.org/security.html recommends. Rows are
 * arrays, and integers are bigints.
 * @param path the file, or `:memory:` for a database that can be written
 * @throws if the file does not exist or is not a database
 */
export function openReadOnly(path: string): SqliteConnection {
  const isFile = path !== ':memory:';
  const connection = new DatabaseSync(path, {
    readOnly: isFile,
    returnArrays: true,
    readBigInts: true,
    defensive: true,
    allowExtension: false,
    enableDoubleQuotedStringLiterals: false,
    timeout: LOCK_TIMEOUT_MS,
    limits: LIMITS,
  });
  try {
    connection.exec(`
      pragma trusted_schema = OFF;
      pragma temp_store = MEMORY;
      pragma query_only = ${isFile ? 'ON' : 'OFF'};
    `);
    connection.prepare('select count(*) from sqlite_schema').get();
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** The mark of a hidden column of a virtual table (https://sqlite.org/pragma.html#pragma_table_xinfo). */
const HIDDEN = 1;

export interface SqliteTable {
  /** The name as it was asked for, perhaps in other letter case or with the schema. */
  readonly asked: string;
  readonly name: string;
  readonly isView: boolean;
  readonly isVirtual: boolean;
  readonly definition: string;
}

/** Returns a table of the schema `main`; undefined if the file has none of that name. */
export function findTable(connection: SqliteConnection, asked: string): SqliteTable | undefined {
  const name = withoutSchema(asked);
  const row: unknown = connection
    .prepare(
      `select name, type, sql from main.sqlite_schema
       where type in ('table', 'view') and sql is not null and name = ? collate nocase`,
    )
    .get(name);
  if (!Array.isArray(row)) return undefined;
  const [found, type, definition] = row.map(String);
  if (found === undefined || definition === undefined) return undefined;
  return {
    asked,
    name: found,
    isView: type === 'view',
    isVirtual: /^create\s+virtual\b/i.test(definition),
    definition,
  };
}

/**
 * Returns whether a table is SQLite's own: statistics and sequences, whose names are reserved, or the
 * contents of a virtual table.
 */
export function isSystemTable(connection: SqliteConnection, asked: string): boolean {
  const name = withoutSchema(asked);
  if (/^sqlite_/i.test(name)) return true;
  const type: unknown = connection
    .prepare(`select type from pragma_table_list(?) where schema = 'main'`)
    .get(name);
  return Array.isArray(type) && type[0] === 'shadow';
}

function withoutSchema(asked: string): string {
  return asked.replace(/^main\./i, '');
}

/** @throws {ProblemError} if there is no such table, or it is SQLite's own */
export function describeTable(connection: SqliteConnection, name: string): TableDescription {
  const table = findTable(connection, name);
  if (isSystemTable(connection, name)) throw systemTable(name);
  if (!table) throw missingTable(name);
  return { name, columns: listColumns(connection, table.name) };
}

/** Returns the columns of a table that `select *` returns. */
function listColumns(connection: SqliteConnection, name: string): ColumnDescription[] {
  const rows = connection
    .prepare(`select name, type, hidden from pragma_table_xinfo(?, 'main')`)
    .all(name);
  return rows
    .filter((row: readonly unknown[]) => Number(row[2]) !== HIDDEN)
    .map((row: readonly unknown[]) => ({ name: String(row[0]), type: String(row[1]) }));
}

/** Returns the tables in which virtual tables keep their contents. */
export function listShadowTables(
  connection: SqliteConnection,
  tables: readonly SqliteTable[],
): string[] {
  const owners = tables.filter(({ isVirtual }) => isVirtual).map(({ name }) => `${name}_`);
  if (owners.length === 0) return [];
  return connection
    .prepare(`select name from pragma_table_list where schema = 'main' and type = 'shadow'`)
    .all()
    .flat()
    .map(String)
    .filter((name) => owners.some((owner) => name.startsWith(owner)));
}

/** Returns a name in the form by which SQLite compares names: it knows the letter case of ASCII. */
export function toLowerAscii(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/**
 * Returns an empty database in memory that has only the given tables, and views as tables. A
 * statement that SQLite compiles there names no other table, wherever a name stands and however it
 * is quoted. The authorizer alone could not tell: it reports reads inside of a view like those
 * inside of a common table expression of the same name.
 * @throws the error of SQLite if a definition is not valid there
 */
export function openOutline(
  connection: SqliteConnection,
  tables: readonly SqliteTable[],
): SqliteConnection {
  const outline = openReadOnly(':memory:');
  try {
    for (const table of tables) {
      outline.prepare(table.isView ? writeTable(connection, table) : table.definition).run();
    }
    return outline;
  } catch (error) {
    outline.close();
    throw error;
  }
}

function writeTable(connection: SqliteConnection, view: SqliteTable): string {
  const columns = listColumns(connection, view.name).map(({ name }) => quoteName(name));
  return `create table ${quoteName(view.name)} (${columns.join(', ')})`;
}
