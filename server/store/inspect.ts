import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { Kysely, sql } from 'kysely';
import { isPostgres } from './database/address.js';
import { EmbeddedSqliteDialect, StatementCache } from './database/dialect.js';
import type { Database } from './database/schema.js';
import { openExisting } from './database/sqlite-connection.js';
import { openingError } from './database/unavailable.js';
import { laterRelease, migrations } from './migrations/index.js';

/** The state of a store as a service would find it. */
export interface StoreState {
  /** False if it is to be made. */
  readonly exists: boolean;
  /** The names of the migrations that the next start runs. */
  readonly pending: readonly string[];
  readonly hasKeys: boolean;
}

/**
 * Looks at a store, and changes nothing in it.
 * @param url as `Store.open` takes it, of a store that is not in memory
 * @throws if a service could not open the store; the message shows no credentials
 */
export async function inspectStore(url: string): Promise<StoreState> {
  try {
    return isPostgres(url) ? await inspectPostgres(url) : await inspectFile(resolve(url.replace(/^file:/, '')));
  } catch (cause) {
    throw openingError(url, cause);
  }
}

async function inspectFile(file: string): Promise<StoreState> {
  if (!existsSync(file)) {
    refuseFolder(dirname(file));
    return { exists: false, pending: Object.keys(migrations), hasKeys: false };
  }
  if (statSync(file).isDirectory()) throw new Error(`${file} is a folder; name a file in it`);
  // SQLite makes files beside it.
  refuseFolder(dirname(file));
  const connection = openExisting(file);
  const dialect = new EmbeddedSqliteDialect(new StatementCache(connection));
  const db = new Kysely<Database>({ dialect });
  try {
    // SQLite opens a file that it may not write to, and says so when it is about to.
    connection.exec('begin immediate; rollback');
    return await readState(db);
  } finally {
    await db.destroy();
    if (connection.isOpen) connection.close();
  }
}

/** @throws if no file can be made in a folder, or in the first one above it that exists */
function refuseFolder(folder: string): void {
  if (!existsSync(folder)) {
    refuseFolder(dirname(folder));
    return;
  }
  if (!statSync(folder).isDirectory()) throw new Error(`${folder} is a file, not a folder`);
  accessSync(folder, constants.W_OK | constants.X_OK);
}

async function inspectPostgres(url: string): Promise<StoreState> {
  const { openForInspection } = await import('./database/postgres.js');
  const db = openForInspection(url);
  try {
    const { rows } = await sql<{ writable: boolean; creates: boolean | null }>`
      select not pg_is_in_recovery() and current_setting('transaction_read_only') = 'off' as writable,
        has_schema_privilege(current_schema(), 'create') as creates`.execute(db);
    if (!rows[0]?.writable) {
      throw new Error('it is read-only; name the primary server, not a replica');
    }
    const state = await readState(db);
    if (state.pending.length > 0 && rows[0].creates !== true) {
      throw new Error(
        'its user may make no tables in it; grant CREATE on the schema, such as: grant create on schema public to USER',
      );
    }
    return state;
  } finally {
    await db.destroy();
  }
}

async function readState(db: Kysely<Database>): Promise<StoreState> {
  const done = await readMigrations(db);
  if (!done.every((name) => name in migrations)) throw laterRelease();
  const pending = Object.keys(migrations).filter((name) => !done.includes(name));
  const key = done.length > 0 ? await db.selectFrom('api_keys').select('id').limit(1).executeTakeFirst() : undefined;
  return { exists: true, pending, hasKeys: key !== undefined };
}

/** PostgreSQL's code of a table that does not exist (undefined_table), and SQLite's words for it. */
const NO_TABLE = /^42P01$|no such table/;

async function readMigrations(db: Kysely<Database>): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
    return rows.map(({ name }) => name);
  } catch (error) {
    const { code, message } = Object(error);
    if (NO_TABLE.test(`${code}`) || NO_TABLE.test(`${message}`)) return [];
    throw error;
  }
}
