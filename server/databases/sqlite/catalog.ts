import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import { type ColumnDescription, quoteName } from '../driver.js';
import { openReadOnly } from './read-only-connection.js';

/** The mark of a hidden column of a virtual table (https://sqlite.org/pragma.html#pragma_table_xinfo). */
const HIDDEN = 1;

/** A table or a view of a SQLite file. */
export interface SqliteTable {
  /** The name as it was asked for, perhaps in other letter case or with the schema. */
  readonly asked: string;
  readonly name: string;
  readonly isView: boolean;
  readonly isVirtual: boolean;
  /** The statement that created it. */
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

/** Returns the columns of a table that `select *` returns. */
export function listColumns(connection: SqliteConnection, name: string): ColumnDescription[] {
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
