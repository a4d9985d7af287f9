import type { SqliteConnection } from '../../store/database/sqlite-connection.js';
import type { QueryError } from '../query-error.js';
import { forbiddenFunction, forbiddenTable, readOnly } from '../refusals.js';
import { quotedName, type SqliteTable } from './catalog.js';
import { FUNCTIONS, TABLE_FUNCTIONS } from './functions.js';

/** The action codes and results of authorizers (https://sqlite.org/c3ref/c_alter_table.html). */
const ACTION = { pragma: 19, read: 20, select: 21, function: 31, recursive: 33 } as const;
const OK = 0;
const DENY = 1;

/** What statements may read and call; names are in lower case. */
export interface Permissions {
  readonly tables: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
}

/** Returns the permissions of SQL that names only the given tables. */
export function permissionsOf(tables: readonly SqliteTable[]): Permissions {
  return { tables: new Set(tables.map(({ name }) => lower(name))), functions: FUNCTIONS };
}

/**
 * Returns permissions that include what the definitions of the tables need: views read other tables
 * and call functions, and so do virtual tables.
 */
export function withDependencies(
  connection: SqliteConnection,
  tables: readonly SqliteTable[],
  permissions: Permissions,
): Permissions {
  const reads = new Set(permissions.tables);
  const calls = new Set(permissions.functions);
  connection.setAuthorizer((action, first, second) => {
    if (action === ACTION.read && first !== null) reads.add(lower(first));
    if (action === ACTION.function && second !== null) calls.add(lower(second));
    return OK;
  });
  for (const { name, isView, isVirtual } of tables) {
    if (!isView && !isVirtual) continue;
    const statement = connection.prepare(`select * from main.${quotedName(name)} limit 1`);
    // A virtual table prepares its own statements when it runs.
    if (isVirtual) statement.get();
  }
  connection.setAuthorizer(null);
  return { tables: reads, functions: calls };
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
    connection.setAuthorizer((action, first, second) => {
      const refusal = this.#judge(action, first, second, builtIn);
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
    builtIn: ReadonlySet<string>,
  ): QueryError | undefined {
    switch (action) {
      case ACTION.select:
      case ACTION.recursive:
        return undefined;
      case ACTION.read:
        return this.#mayRead(lower(first ?? ''), second, builtIn)
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

  #mayRead(table: string, column: string | null, builtIn: ReadonlySet<string>): boolean {
    if (this.permissions.tables.has(table) || TABLE_FUNCTIONS.has(table)) return true;
    // Without a column, such as of `count(*)`, SQLite also reports the names of common table
    // expressions. They cannot be told from tables here, but the outline has only allowed tables.
    return column === '' && !/^(?:sqlite|pragma)_/.test(table) && !builtIn.has(table);
  }
}

function lower(name: string): string {
  return name.toLowerCase();
}
