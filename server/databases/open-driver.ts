import type { Driver } from './driver.js';
import type { StatementParser } from './postgres/statement-parser.js';

/** The bounds of a driver's connections. */
export interface DriverOptions {
  /** The most connections to PostgreSQL, without those that cancel statements. */
  readonly maxConnections: number;
  /** The longest time between two statements of a transaction, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** Parses statements for PostgreSQL. */
  readonly parser: StatementParser;
  /** The module that reads SQLite files. */
  readonly sqliteWorker: URL;
}

/**
 * Opens the driver of a database. Its module is loaded on demand: a service without databases loads
 * none.
 * @param url `file:PATH` or `postgres://…`
 */
export async function openDriver(
  name: string,
  url: string,
  options: DriverOptions,
): Promise<Driver> {
  if (url.startsWith('file:')) {
    const { SqliteDriver } = await import('./sqlite/sqlite-driver.js');
    return new SqliteDriver(name, url, options.sqliteWorker);
  }
  const { PostgresDriver } = await import('./postgres/postgres-driver.js');
  return new PostgresDriver(name, url, options);
}
