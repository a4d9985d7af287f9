import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import type { ColumnDescription } from '../result.js';

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
  const name = asked.replace(/^main\./i, '');
  // A parameter would need `variableNumber`, which is for hostile SQL; the name is quoted instead.
  const row: unknown = connection
    .prepare(
      `select name, type, sql from main.sqlite_schema
       where type in ('table', 'view') and sql is not null and name = ${quotedText(name)} collate nocase`,
    )
    .get();
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

/** Returns the columns of a table that `select *` returns. */
export function columnsOf(connection: SqliteConnection, name: string): ColumnDescription[] {
  const rows = connection
    .prepare(`select name, type, hidden from pragma_table_xinfo(${quotedText(name)}, 'main')`)
    .all();
  return rows
    .filter((row: readonly unknown[]) => Number(row[2]) !== HIDDEN)
    .map((row: readonly unknown[]) => ({ name: String(row[0]), type: String(row[1]) }));
}

/** The mark of a hidden column of a virtual table (https://sqlite.org/pragma.html#pragma_table_xinfo). */
const HIDDEN = 1;

/** Returns a name as a quoted identifier. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
