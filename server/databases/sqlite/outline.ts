import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import { columnsOf, quotedName, type SqliteTable } from './catalog.js';
import { openReadOnly } from './read-only-connection.js';

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
      outline.prepare(table.isView ? asTable(connection, table) : table.definition).run();
    }
    return outline;
  } catch (error) {
    outline.close();
    throw error;
  }
}

function asTable(connection: SqliteConnection, view: SqliteTable): string {
  const columns = columnsOf(connection, view.name).map(({ name }) => quotedName(name));
  return `create table ${quotedName(view.name)} (${columns.join(', ')})`;
}
