import type { Driver, DriverOptions } from './driver.js';

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
    return new SqliteDriver(name, url, options.sqliteWorker, options.sqliteMemory);
  }
  const { PostgresDriver } = await import('./postgres/postgres-driver.js');
  return new PostgresDriver(name, url, options);
}
