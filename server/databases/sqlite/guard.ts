import type { ProblemError } from '../../problems/problem.js';
import { DatabaseSync, type SqliteConnection } from '../../store/database/sqlite-connection.js';
import { type ColumnDescription, quoteName, type TableDescription } from '../driver.js';
import { toLowerAscii } from '../names.js';
import { forbiddenFunction, forbiddenTable, missingTable, readOnly, systemTable } from '../query-error.js';

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
  const type: unknown = connection.prepare(`select type from pragma_table_list(?) where schema = 'main'`).get(name);
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
  const rows = connection.prepare(`select name, type, hidden from pragma_table_xinfo(?, 'main')`).all(name);
  return rows
    .filter((row: readonly unknown[]) => Number(row[2]) !== HIDDEN)
    .map((row: readonly unknown[]) => ({ name: String(row[0]), type: String(row[1]) }));
}

/** Returns the tables in which virtual tables keep their contents. */
export function listShadowTables(connection: SqliteConnection, tables: readonly SqliteTable[]): string[] {
  const owners = tables.filter(({ isVirtual }) => isVirtual).map(({ name }) => `${name}_`);
  if (owners.length === 0) return [];
  return connection
    .prepare(`select name from pragma_table_list where schema = 'main' and type = 'shadow'`)
    .all()
    .flat()
    .map(String)
    .filter((name) => owners.some((owner) => name.startsWith(owner)));
}

/**
 * Returns an empty database in memory that has only the given tables, and views as tables. A statement that SQLite
 * compiles there names no other table, wherever a name stands and however it is quoted. The authorizer alone could not
 * tell: it reports reads inside of a view like those inside of a common table expression of the same name.
 * @throws the error of SQLite if a definition is not valid there
 */
export function openOutline(connection: SqliteConnection, tables: readonly SqliteTable[]): SqliteConnection {
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

/**
 * The functions of SQLite that a query may call. They compute from their arguments alone, or from
 * the rows and the clock.
 */
const FUNCTIONS: ReadonlySet<string> = new Set(
  [
    // https://sqlite.org/lang_corefunc.html
    'abs char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood',
    'likely lower ltrim max min nullif octet_length printf quote random replace round rtrim sign',
    'soundex substr substring trim typeof unhex unicode unistr unlikely upper',
    // https://sqlite.org/lang_mathfunc.html
    'acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10',
    'log2 mod pi pow power radians sin sinh sqrt tan tanh trunc',
    // https://sqlite.org/lang_datefunc.html
    'current_date current_time current_timestamp date datetime julianday strftime time timediff',
    'unixepoch',
    // https://sqlite.org/lang_aggfunc.html and https://sqlite.org/percentile.html
    'avg count group_concat median percentile percentile_cont percentile_disc string_agg sum total',
    // https://sqlite.org/windowfunctions.html
    'cume_dist dense_rank first_value lag last_value lead nth_value ntile percent_rank rank',
    'row_number',
    // https://sqlite.org/json1.html
    '-> ->> json json_array json_array_length json_extract json_group_array json_group_object',
    'json_insert json_object json_patch json_pretty json_quote json_remove json_replace json_set',
    'json_type json_valid',
    // https://sqlite.org/fts5.html
    'bm25 highlight match snippet',
  ].flatMap((line) => line.split(' ')),
);

const TABLE_FUNCTIONS = ['json_each', 'json_tree'];

/** The action codes and results of authorizers (https://sqlite.org/c3ref/c_alter_table.html). */
const ACTION = { pragma: 19, read: 20, select: 21, function: 31, recursive: 33 } as const;
const OK = 0;
const DENY = 1;

type Permissions = ReturnType<typeof getPermissions>;

/**
 * Returns the permissions of statements that name only the given tables. They include what the definitions of the
 * tables need: views read other tables and call functions, and so do virtual tables.
 * @param tables the tables as they are in the database of the connection
 * @returns names in lower case; `viewed` may be read only inside of a view, `hidden` not even counted
 */
export function getPermissions(connection: SqliteConnection, tables: readonly SqliteTable[]) {
  const reads = new Set(tables.map(({ name }) => toLowerAscii(name)));
  const viewed = new Set<string>();
  const calls = new Set(FUNCTIONS);
  for (const name of TABLE_FUNCTIONS) {
    if (findTable(connection, name) === undefined) reads.add(name);
  }
  for (const { name, isView, isVirtual } of tables) {
    if (!isView && !isVirtual) continue;
    const noted = isView ? viewed : reads;
    connection.setAuthorizer((action, first, second) => {
      if (action === ACTION.read && first !== null) noted.add(toLowerAscii(first));
      if (action === ACTION.function && second !== null) calls.add(toLowerAscii(second));
      return OK;
    });
    const statement = connection.prepare(`select * from main.${quoteName(name)} limit 1`);
    try {
      // A virtual table prepares statements of its own when it runs. That fails where the table that
      // a full-text index belongs to is absent, as in an outline.
      if (isVirtual) statement.get();
    } catch {}
  }
  connection.setAuthorizer(null);
  for (const name of listShadowTables(connection, tables)) reads.add(toLowerAscii(name));
  return { tables: reads, viewed, functions: calls, hidden: new Set<string>() };
}

export class Guard {
  refusal: ProblemError | undefined;
  readonly #builtIn: ReadonlySet<string>;

  /** @param allowed the names for the message of a refusal */
  constructor(
    connection: SqliteConnection,
    private readonly permissions: Permissions,
    private readonly allowed: readonly string[],
  ) {
    const modules = connection.prepare('select lower(name) from pragma_module_list').all();
    this.#builtIn = new Set(modules.flat().map(String));
    connection.setAuthorizer((action, first, second, _schema, context) => {
      const refusal = this.#judge(action, first, second, context !== null);
      this.refusal ??= refusal;
      return refusal === undefined ? OK : DENY;
    });
  }

  /** @param isInside whether a view or a common table expression reads */
  #judge(action: number, first: string | null, second: string | null, isInside: boolean): ProblemError | undefined {
    switch (action) {
      case ACTION.select:
      case ACTION.recursive:
        return undefined;
      case ACTION.read:
        return this.#mayRead(toLowerAscii(first ?? ''), second, isInside)
          ? undefined
          : forbiddenTable(first ?? '', this.allowed);
      case ACTION.function:
        return this.permissions.functions.has(toLowerAscii(second ?? '')) ? undefined : forbiddenFunction(second ?? '');
      case ACTION.pragma:
        // Full-text search asks whether the file has changed.
        return first === 'data_version' && second === null ? undefined : readOnly();
      default:
        return readOnly();
    }
  }

  #mayRead(table: string, column: string | null, isInside: boolean): boolean {
    const { tables, viewed, hidden } = this.permissions;
    if (hidden.has(table)) return false;
    if (tables.has(table) || (isInside && viewed.has(table))) return true;
    // Without a column, as for `count(*)`, SQLite also reports the names of common table
    // expressions. They cannot be distinguished from tables here, but the outline has only allowed tables.
    return column === '' && !/^(?:sqlite|pragma)_/.test(table) && !this.#builtIn.has(table);
  }
}
