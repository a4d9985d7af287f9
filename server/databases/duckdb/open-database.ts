import { parse, resolve } from 'node:path';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { quoteName } from '../driver.js';
import { splitName } from '../names.js';
import { databaseUnavailable } from '../query-error.js';
import type { DuckdbJob } from './duckdb-driver.js';
import { findFiles, ViewFilesError } from './find-files.js';
import { tableKey } from './guard.js';
import type { loadDuckdb } from './load-duckdb.js';
import { exactPattern, quoteText } from './sql-text.js';

/** The names of DuckDB's own databases, which a file cannot have. */
const RESERVED: ReadonlySet<string> = new Set(['memory', 'system', 'temp']);

/** A database in memory whose only tables are views of what a query may read. */
export class OpenDatabase {
  readonly #instance: DuckDBInstance;
  /** The paths that messages may show. */
  readonly #paths: string[] = [];

  private constructor(
    instance: DuckDBInstance,
    readonly connection: DuckDBConnection,
    private readonly job: DuckdbJob,
  ) {
    this.#instance = instance;
  }

  /** Opens a database without tables, whose settings can still be changed. */
  static async open(duckdb: ReturnType<typeof loadDuckdb>, job: DuckdbJob): Promise<OpenDatabase> {
    const { memoryMiB, threads, temporary } = job.bounds;
    const instance = await duckdb.DuckDBInstance.create(':memory:', {
      memory_limit: `${memoryMiB}MiB`,
      threads: String(threads),
      temp_directory: temporary?.path ?? '',
      ...(temporary && { max_temp_directory_size: `${temporary.maxMiB}MiB` }),
      autoinstall_known_extensions: 'false',
      autoload_known_extensions: 'false',
      allow_community_extensions: 'false',
    });
    const connection = await instance.connect();
    await connection.run(`SET TimeZone = 'UTC'`);
    return new OpenDatabase(instance, connection, job);
  }

  /** Returns what DuckDB's parser makes of statements, as `json_serialize_sql` writes it. */
  async parse(sql: string): Promise<unknown> {
    const result = await this.connection.run(
      'SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)',
      [sql],
    );
    const [[text] = []] = await result.getRowsJson();
    return JSON.parse(String(text));
  }

  /**
   * Makes views of the named tables, and closes the way to everything else: no other file is opened from here on, and
   * no setting changes.
   *
   * @returns the names of those that exist
   * @throws {ProblemError} if the file of the database, or the files of a view, cannot be read
   */
  async expose(tables: readonly string[]): Promise<ReadonlySet<string>> {
    const { source, extensions = [] } = this.job.database;
    await this.#loadExtensions(extensions);
    const found =
      typeof source === 'string' ? await this.#exposeFile(source, tables) : await this.#exposeViews(source, tables);
    const paths = this.#paths.map((path) => quoteText(path)).join(', ');
    await this.connection.run(`SET allowed_paths = [${paths}]`);
    await this.connection.run('SET enable_external_access = false; SET lock_configuration = true');
    return found;
  }

  /** Replaces the paths in a message of DuckDB by the names of files: those of the database, and those in quotes. */
  hidePaths(message: string): string {
    const text = this.#paths.reduce((shown, path) => shown.replaceAll(path, nameOf(path)), message);
    return text.replace(/"[^"]*"|'[^']*'/g, (quoted) => quoted.slice(0, 1) + nameOf(quoted.slice(1)));
  }

  close(): void {
    this.connection.closeSync();
    this.#instance.closeSync();
  }

  async #loadExtensions(extensions: readonly string[]): Promise<void> {
    if (extensions.length === 0) return;
    // The environment of this process names no home.
    await this.connection.run(`SET home_directory = ${quoteText(this.job.home)}`);
    for (const name of extensions) {
      await this.connection.run(`LOAD ${quoteName(name)}`).catch((cause) => {
        throw this.#unavailable(`cannot load the extension ${name}, which DATABASES names`, cause);
      });
    }
  }

  async #exposeFile(file: string, tables: readonly string[]): Promise<ReadonlySet<string>> {
    const path = resolve(file);
    this.#paths.push(path);
    // Views in the file may name it as DuckDB does. Statements cannot.
    const stem = parse(path).name;
    const source = RESERVED.has(stem.toLowerCase()) ? 'roster_source' : stem;
    await this.connection.run(`ATTACH ${quoteText(path)} AS ${quoteName(source)} (READ_ONLY)`).catch((cause) => {
      throw this.#unavailable('cannot be opened', cause);
    });
    const result = await this.connection.run(
      `SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = $1::VARCHAR AND NOT internal
       UNION ALL SELECT schema_name, view_name FROM duckdb_views() WHERE database_name = $1::VARCHAR AND NOT internal`,
      [source],
    );
    const names = (await result.getRowsJson()).map(([schema, table]) => ({
      schema: String(schema),
      table: String(table),
    }));
    const byKey = new Map(names.map((name) => [tableKey(name), name]));
    const found = tables.filter((name) => byKey.has(tableKey(splitName(name))));
    for (const name of found) {
      const { schema, table } = byKey.get(tableKey(splitName(name))) ?? {};
      if (schema === undefined || table === undefined) continue;
      await this.#createView(name, [source, schema, table].map(quoteName).join('.'));
    }
    return new Set(found);
  }

  async #exposeViews(views: Readonly<Record<string, string>>, tables: readonly string[]): Promise<ReadonlySet<string>> {
    const places = new Map(Object.entries(views).map(([name, place]) => [tableKey(splitName(name)), place]));
    const found: string[] = [];
    for (const name of tables) {
      const place = places.get(tableKey(splitName(name)));
      if (place === undefined) continue;
      const files = await findFiles(place, (pattern) => this.#listFiles(pattern)).catch((cause) => {
        if (!(cause instanceof ViewFilesError)) throw cause;
        throw this.#unavailable(`has a table ${name} that cannot be read: ${cause.message}`, cause);
      });
      const patterns = files.paths.map(exactPattern);
      // DuckDB compares the text of a pattern with the paths that it may open, and then each file that it opens.
      this.#paths.push(...new Set([...files.paths, ...patterns]));
      const list = patterns.map(quoteText).join(', ');
      await this.#createView(name, `${files.reader}([${list}])`);
      found.push(name);
    }
    return new Set(found);
  }

  async #listFiles(pattern: string): Promise<string[]> {
    const result = await this.connection.run('SELECT file FROM glob($1::VARCHAR) ORDER BY file', [pattern]);
    return (await result.getRowsJson()).map(([file]) => String(file));
  }

  /** @throws {ProblemError} if what it reads is no table */
  async #createView(name: string, from: string): Promise<void> {
    const { schema, table } = splitName(name);
    try {
      if (schema !== undefined) await this.connection.run(`CREATE SCHEMA IF NOT EXISTS ${quoteName(schema)}`);
      const view = [schema ?? 'main', table].map(quoteName).join('.');
      // A table may be named in several letter cases.
      await this.connection.run(`CREATE VIEW IF NOT EXISTS ${view} AS SELECT * FROM ${from}`);
    } catch (cause) {
      const reason = this.hidePaths(firstLines(cause));
      throw this.#unavailable(`has a table ${name} that cannot be read: ${reason}`, cause);
    }
  }

  #unavailable(fault: string, cause: unknown) {
    const message = `The database ${this.job.name} ${fault}; its operator must repair it.`;
    return databaseUnavailable(message, { cause });
  }
}

/** Returns the beginning of a message of DuckDB, after which it shows the statement. */
export function firstLines(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return (message.split('\n\n', 1)[0] ?? '').replaceAll('\n', ' ').trim();
}

function nameOf(path: string): string {
  return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
