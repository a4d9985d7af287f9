import * as v from 'valibot';
import { OWNERS, parseNamed } from '../common/named-settings.js';
import { isPostgres, readHosts } from '../store/database/address.js';

const POSITIVE = v.pipe(v.number(), v.integer(), v.minValue(1));

/** The bounds of DuckDB, in MiB and threads; each has a default. */
const DUCKDB_LIMITS = v.strictObject({
  memory_mib: v.optional(v.pipe(v.number(), v.integer(), v.minValue(64))),
  temporary_mib: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
  threads: v.optional(POSITIVE),
});

const NAME = v.pipe(v.string(), v.regex(/^\w+(?:\.\w+)?$/), v.maxLength(200));
const PLACE = v.pipe(v.string(), v.nonEmpty(), v.excludes('\0'));

const fields = v.object({
  /** `file:PATH`, `duckdb:PATH` or `postgres://…`. It may contain a password: it is never shown. */
  url: v.optional(
    v.pipe(
      v.string(),
      v.check((url) => /^(?:file|duckdb):./s.test(url) || isPostgres(url)),
    ),
  ),
  /** The tables that DuckDB makes of files: the place of a file, of a folder, or a pattern of places. */
  views: v.optional(
    v.pipe(
      v.record(NAME, PLACE),
      v.check((views) => Object.keys(views).length > 0),
    ),
  ),
  /** The extensions that DuckDB loads, which the operator has installed. */
  extensions: v.optional(v.array(v.pipe(v.string(), v.regex(/^\w+$/)))),
  limits: v.optional(DUCKDB_LIMITS),
  owners: OWNERS,
  /**
   * The tables and views that trainings may read, as `table` or `schema.table`; undefined if the
   * database is closed to trainings.
   */
  training: v.optional(
    v.pipe(v.array(v.pipe(v.string(), v.nonEmpty(), v.maxLength(200))), v.nonEmpty(), v.maxLength(1_000)),
  ),
});

const database = v.pipe(
  fields,
  v.forward(
    v.check(({ url, views }) => (url === undefined) !== (views === undefined)),
    ['url'],
  ),
  v.forward(
    v.check((setting) => setting.extensions === undefined || isDuckdb(setting)),
    ['extensions'],
  ),
  v.forward(
    v.check((setting) => setting.limits === undefined || isDuckdb(setting)),
    ['limits'],
  ),
);

export type DatabaseSettings = Readonly<v.InferOutput<typeof database>>;

/** A database that DuckDB reads. */
export interface DuckdbSettings extends Pick<DatabaseSettings, 'extensions' | 'limits'> {
  /** The path of a file of DuckDB, or the places of files by the names of their tables. */
  readonly source: string | Readonly<Record<string, string>>;
}

const DUCKDB = 'duckdb:';

function isDuckdb({ url, views }: Pick<v.InferOutput<typeof fields>, 'url' | 'views'>): boolean {
  return views !== undefined || url?.startsWith(DUCKDB) === true;
}

/** Returns the settings of a database that DuckDB reads; undefined for another one. */
export function findDuckdb({ url = '', views, extensions, limits }: DatabaseSettings): DuckdbSettings | undefined {
  if (!isDuckdb({ url, views })) return undefined;
  return { source: views ?? url.slice(DUCKDB.length), extensions, limits };
}

/** Returns the name of the SQL that a database reads. */
export function findDialect(settings: DatabaseSettings): 'DuckDB' | 'SQLite' | 'PostgreSQL' {
  if (findDuckdb(settings)) return 'DuckDB';
  return settings.url?.startsWith('file:') ? 'SQLite' : 'PostgreSQL';
}

/**
 * Reads the databases of the environment variable `DATABASES`: a JSON object whose values are URLs
 * or objects such as `{"url": …, "owners": […], "training": […]}`.
 * @throws {Error} if the text is malformed. The message is one line and shows no URL.
 */
export function parseDatabases(text: string): ReadonlyMap<string, DatabaseSettings> {
  const databases = parseNamed(text, {
    variable: 'DATABASES',
    noun: 'database',
    schema: database,
    example: '{"sales": "file:data/sales.db"}',
    rules: {
      url: (name) =>
        `the database ${name} must have either views, or a URL that is file:PATH, duckdb:PATH or postgres://USER:PASSWORD@HOST:PORT/DATABASE`,
      views: (name) =>
        `the views of the database ${name} must be names of tables, each with a file, a folder or a pattern, such as {"orders": "/data/orders/*.parquet"}`,
      extensions: (name) =>
        `the extensions of the database ${name} must be a list of names, such as ["spatial"], and are for DuckDB alone`,
      limits: (name) =>
        `the limits of the database ${name} must be {"memory_mib": …, "temporary_mib": …, "threads": …} in whole numbers, with at least 64 MiB of memory, and are for DuckDB alone`,
      training: (name) =>
        `the tables of the database ${name} for training must be a list of names, such as ["orders", "shop.customers"]`,
    },
  });
  for (const [name, { url = '' }] of databases) if (isPostgres(url)) refuseUnusable(name, url);
  return databases;
}

/** @throws {Error} if the hosts or the options of a URL cannot be used. The message shows no part of it. */
function refuseUnusable(name: string, url: string): void {
  try {
    readHosts(url);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`DATABASES: the URL of the database ${name} cannot be used: ${reason}`, { cause: error });
  }
}
