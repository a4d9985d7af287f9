import { isPostgres, refuseUnreadable } from '../store/database/address.js';

/** A database that the operator of the service names for queries. */
export interface DatabaseSettings {
  /** `file:PATH` or `postgres://…`. It may contain a password: it is never shown. */
  readonly url: string;
  /** The owners who may use the database; undefined for every owner. */
  readonly owners?: ReadonlySet<string>;
  /**
   * The tables and views that trainings may read, as `table` or `schema.table`; undefined if the
   * database is closed to trainings.
   */
  readonly training?: readonly string[];
}

/** The most tables of a database that trainings may read, and the longest of their names. */
const MAX_TABLES = 1_000;
const MAX_TABLE_NAME = 200;

const NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$/;

/**
 * Reads the databases of the environment variable `DATABASES`: a JSON object whose values are URLs
 * or `{"url": …, "owners": […], "training": […]}`.
 * @throws {Error} if the text is malformed. The message is one line and shows no URL.
 */
export function parseDatabases(text: string): ReadonlyMap<string, DatabaseSettings> {
  const settings = new Map<string, DatabaseSettings>();
  for (const [name, value] of Object.entries(readObject(text))) {
    if (!NAME.test(name)) {
      throw new Error(
        `DATABASES has a database with the name ${JSON.stringify(name)}; a name has at most 100 letters, digits and _ . -, and begins with none of . -`,
      );
    }
    settings.set(name, readSettings(name, value));
  }
  return settings;
}

function readObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The error of `JSON.parse` may show a password.
  }
  throw new Error(
    'DATABASES must be a JSON object of names and URLs, such as {"sales": "file:data/sales.db"}',
  );
}

function readSettings(name: string, value: unknown): DatabaseSettings {
  if (!isObject(value)) return { url: readUrl(name, value) };
  const { url, owners, training, ...others }: Readonly<Record<string, unknown>> = { ...value };
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new Error(
      `DATABASES: the database ${name} has the unknown setting ${JSON.stringify(unknown)}; there are url, owners and training`,
    );
  }
  return {
    url: readUrl(name, url),
    ...(owners !== undefined && { owners: readOwners(name, owners) }),
    ...(training !== undefined && { training: readTables(name, training) }),
  };
}

function readUrl(name: string, url: unknown): string {
  if (typeof url === 'string' && (/^file:./s.test(url) || isReadablePostgres(url))) return url;
  throw new Error(
    `DATABASES: the URL of the database ${name} must be file:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE, in which characters of USER and PASSWORD other than letters and digits are percent-encoded (# is %23)`,
  );
}

function isReadablePostgres(url: string): boolean {
  if (!isPostgres(url)) return false;
  try {
    refuseUnreadable(url);
    return true;
  } catch {
    return false;
  }
}

function readOwners(name: string, owners: unknown): ReadonlySet<string> {
  if (Array.isArray(owners) && owners.every((owner) => typeof owner === 'string')) {
    return new Set(owners);
  }
  throw new Error(
    `DATABASES: the owners of the database ${name} must be a list of names, such as ["acme"]`,
  );
}

function readTables(name: string, tables: unknown): readonly string[] {
  const isList = Array.isArray(tables) && tables.length > 0 && tables.length <= MAX_TABLES;
  const isName = (table: unknown): table is string =>
    typeof table === 'string' && table !== '' && table.length <= MAX_TABLE_NAME;
  if (isList && tables.every(isName)) return tables;
  throw new Error(
    `DATABASES: the tables of the database ${name} for training must be a list of names, such as ["orders", "shop.customers"]`,
  );
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
