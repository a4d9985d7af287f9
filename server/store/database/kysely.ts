import { createRequire } from 'node:module';
import type * as types from 'kysely';

/**
 * Kysely, as CommonJS: its ES modules are three hundred files, and loading them takes a tenth of the start, and more
 * megabytes. What is only a type is imported from `kysely` itself.
 */
const kysely: typeof types = createRequire(import.meta.url)('kysely');

export const {
  CompiledQuery,
  Kysely,
  Migrator,
  PostgresAdapter,
  PostgresDialect,
  SqliteAdapter,
  SqliteDialect,
  SqliteDriver,
  sql,
} = kysely;

export type Kysely<Tables> = types.Kysely<Tables>;
export type SqliteAdapter = types.SqliteAdapter;
export type SqliteDriver = types.SqliteDriver;
