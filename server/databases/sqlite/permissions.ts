import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import type { QueryError } from '../query-error.js';
import { forbiddenFunction, forbiddenTable, readOnly } from '../refusals.js';
import { findTable, lower, quotedName, type SqliteTable, shadowTables } from './catalog.js';
import { FUNCTIONS, TABLE_FUNCTIONS } from './functions.js';

/** The action codes and results of authorizers (https://sqlite.org/c3ref/c_alter_table.html). */
const ACTION = { pragma: 19, read: 20, select: 21, function: 31, recursive: 33 } as const;
const OK = 0;
const DENY = 1;

/** Lists the tables and functions that statements may use; names are in lower case. */
export interface Permissions {
  readonly tables: ReadonlySet<string>;
  /** The tables that may be read only inside of a view. */
  readonly viewed: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** The tables that may not even be counted. */
  readonly hidden: ReadonlySet<string>;
}

/**
 * Returns the permissions of statements that name only the given tables. They include what the
 * definitions of the tables need: views read other tables and call functions, and so do virtual
 * tables.
 * @param tables the tables as they are in the database of the connection
 */
export function permissionsOf(
  connection: SqliteConnection,
  tables: readonly SqliteTable[],
): Permissions {
  const reads = new Set(tables.map(({ name }) => lower(name)));
  const viewed = new Set<string>();
  const calls = new Set(FUNCTIONS);
  for (const name of TABLE_FUNCTIONS) {
    if (findTable(connection, name) === undefined) reads.add(name);
  }
  for (const { name, isView, isVirtual } of tables) {
    if (!isView && !isVirtual) continue;
    const noted = isView ? viewed : reads;
    connection.setAuthorizer((action, first, second) => {
      if (action === ACTION.read && first !== null) noted.add(lower(first));
      if (action === ACTION.function && second !== null) calls.add(lower(second));
      return OK;
    });
    const statement = connection.prepare(`select * from main.${quotedName(name)} limit 1`);
    if (isVirtual) tryRun(statement);
  }
  connection.setAuthorizer(null);
  for (const name of shadowTables(connection, tables)) reads.add(lower(name));
  return { tables: reads, viewed, functions: calls, hidden: new Set() };
}

/**
 * Runs a statement once: a virtual table prepares statements of its own then. It fails where the
 * table that a full-text index belongs to is absent, as in an outline.
 */
function tryRun(statement: ReturnType<SqliteConnection['prepare']>): void {
  try {
    statement.get();
  } catch {}
}

/** Restricts the statements of a connection from now on. */
export class Guard {
  #refusal: QueryError | undefined;

  /** @param allowed the names for the message of a refusal */
  constructor(
    connection: SqliteConnection,
    private readonly permissions: Permissions,
    private readonly allowed: readonly string[],
  ) {
    const modules = connection.prepare('select lower(name) from pragma_module_list').all();
    const builtIn = new Set(modules.flat().map(String));
    connection.setAuthorizer((action, first, second, _schema, context) => {
      const isInside = context !== null;
      const refusal = this.#judge(action, first, second, isInside, builtIn);
      this.#refusal ??= refusal;
      return refusal === undefined ? OK : DENY;
    });
  }

  /** The reason for which a statement was refused. */
  get refusal(): QueryError | undefined {
    return this.#refusal;
  }

  #judge(
    action: number,
    first: string | null,
    second: string | null,
    isInside: boolean,
    builtIn: ReadonlySet<string>,
  ): QueryError | undefined {
    switch (action) {
      case ACTION.select:
      case ACTION.recursive:
        return undefined;
      case ACTION.read:
        return this.#mayRead(lower(first ?? ''), second, isInside, builtIn)
          ? undefined
          : forbiddenTable(first ?? '', this.allowed);
      case ACTION.function:
        return this.permissions.functions.has(lower(second ?? ''))
          ? undefined
          : forbiddenFunction(second ?? '');
      case ACTION.pragma:
        // Full-text search asks whether the file has changed.
        return first === 'data_version' && second === null ? undefined : readOnly();
      default:
        return readOnly();
    }
  }

  /** @param isInside whether a view or a common table expression reads */
  #mayRead(
    table: string,
    column: string | null,
    isInside: boolean,
    builtIn: ReadonlySet<string>,
  ): boolean {
    const { tables, viewed, hidden } = this.permissions;
    if (hidden.has(table)) return false;
    if (tables.has(table) || (isInside && viewed.has(table))) return true;
    // Without a column, as for `count(*)`, SQLite also reports the names of common table
    // expressions. They cannot be told from tables here, but the outline has only allowed tables.
    return column === '' && !/^(?:sqlite|pragma)_/.test(table) && !builtIn.has(table);
  }
}
