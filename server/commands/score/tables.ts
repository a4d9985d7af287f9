import type { DuckDBConnection } from '@duckdb/node-api';
import { exactPattern, quoteText } from '../../databases/duckdb/sql-text.js';

/** A column of a file, with its type as DuckDB writes it. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
}

/** A Parquet file. */
export interface Table {
  readonly path: string;
  readonly rows: number;
  readonly columns: readonly TableColumn[];
}

/** Returns the rows of a query. */
async function query(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  return (await connection.run(sql)).getRowsJson();
}

/** Returns the table function that reads files, in their order. */
export function readFiles(paths: readonly string[]): string {
  return `read_parquet([${paths.map((path) => quoteText(exactPattern(path))).join(', ')}])`;
}

/**
 * Lists the files that match a pattern, in the order of their names.
 * @throws if there are none
 */
export async function listFiles(connection: DuckDBConnection, pattern: string): Promise<string[]> {
  const files = await query(connection, `SELECT file FROM glob(${quoteText(pattern)}) ORDER BY file`);
  if (files.length === 0) throw new Error(`no file matches ${pattern}`);
  return files.map(([file]) => String(file));
}

/** @throws with the name of the file, if it is not a whole Parquet file */
export async function describeFile(connection: DuckDBConnection, path: string): Promise<Table> {
  const files = readFiles([path]);
  try {
    const [[rows = 0] = []] = await query(connection, `SELECT count(*) FROM ${files}`);
    const columns = await query(connection, `DESCRIBE FROM ${files}`);
    const all = columns.map(([name, type]) => ({ name: String(name), type: String(type) }));
    return { path, rows: Number(rows), columns: all };
  } catch (cause) {
    throw new Error(`${path} cannot be read as Parquet; write it again, or leave it out: ${firstLine(cause)}`, {
      cause,
    });
  }
}

/** The key of the metadata of a file that name its origin. */
const ORIGIN = 'roster';

/** Returns the origin of a file that a scoring has written; undefined for other files. */
export async function readOrigin(connection: DuckDBConnection, path: string): Promise<string | undefined> {
  const exact = quoteText(exactPattern(path));
  const sql = `SELECT decode(value) FROM parquet_kv_metadata(${exact}) WHERE decode(key) = ${quoteText(ORIGIN)}`;
  try {
    const [[origin] = []] = await query(connection, sql);
    return typeof origin === 'string' ? origin : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the options of `COPY` for a file with an origin. */
export function parquetOptions(origin: string): string {
  // A dictionary of many different numbers takes half of the time of writing, and saves few bytes.
  return `FORMAT parquet, DICTIONARY_SIZE_LIMIT 4096, KV_METADATA {${ORIGIN}: ${quoteText(origin)}}`;
}

/** Returns the first line of an error of DuckDB, which has the reason. */
function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? message;
}
