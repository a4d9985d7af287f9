import { join } from 'node:path';
import { requireFrom } from '../../tools/on-demand/installed.js';
import type { Frames, Rows, WrittenFile } from './frames.js';

/** The part of `@duckdb/node-api` that is used here. */
interface DuckDb {
  readonly DuckDBInstance: {
    create(path: ':memory:'): Promise<{ connect(): Promise<Connection> }>;
  };
}

interface Connection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Rows }>;
}

const FORMATS = { csv: 'CSV, HEADER', ndjson: 'JSON', parquet: 'PARQUET' } as const;

/** @throws if DuckDB has no build for this platform */
export async function duckDb(): Promise<Frames> {
  const { DuckDBInstance }: DuckDb = requireFrom('dataframes')('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return {
    name: 'DuckDB',
    async write(csv, folder) {
      const files: WrittenFile[] = [];
      for (const [format, as] of [
        ['csv', FORMATS.csv],
        ['ndjson', FORMATS.ndjson],
        ['parquet', FORMATS.parquet],
      ] as const) {
        const path = join(folder, `duckdb.${format}`);
        await connection.runAndReadAll(
          `COPY (SELECT * FROM read_csv(${quoted(csv)})) TO ${quoted(path)} (FORMAT ${as})`,
        );
        files.push({ format, path });
      }
      return files;
    },
    reads: ['csv', 'ndjson'],
    async read({ path, format }) {
      const reader = format === 'csv' ? 'read_csv' : 'read_json';
      const result = await connection.runAndReadAll(`SELECT * FROM ${reader}(${quoted(path)})`);
      return result.getRowObjectsJson();
    },
  };
}

/** Returns a string literal of SQL. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
