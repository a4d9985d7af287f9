import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileFormat } from 'roster-client';
import { requireFrom } from '../../tools/on-demand/installed.js';

export interface WrittenFile {
  readonly format: FileFormat;
  /** The codec of Arrow buffers, where they are compressed. */
  readonly compression?: string | undefined;
  readonly path: string;
}

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** A library of data frames that exchanges files with the service. */
export interface Frames {
  readonly name: string;
  /** Writes the same table in each format that the library has. */
  write(csv: string, folder: string): Promise<readonly WrittenFile[]>;
  /** The formats in which it reads answers. */
  readonly reads: readonly FileFormat[];
  read(file: WrittenFile): Promise<Rows>;
}

/** The part of `@duckdb/node-api` that is used here. */
interface DuckDb {
  readonly DuckDBInstance: { create(path: ':memory:'): Promise<{ connect(): Promise<Connection> }> };
}

interface Connection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJson(): Rows }>;
}

const FORMATS = [
  ['csv', 'CSV, HEADER'],
  ['ndjson', 'JSON'],
  ['parquet', 'PARQUET'],
] as const;

/** @throws if DuckDB has no build for this platform */
export async function duckDb(): Promise<Frames> {
  const { DuckDBInstance }: DuckDb = requireFrom('dataframes')('@duckdb/node-api');
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  return {
    name: 'DuckDB',
    async write(csv, folder) {
      const files: WrittenFile[] = [];
      for (const [format, as] of FORMATS) {
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

/** The part of `nodejs-polars` that is used here. */
interface Polars {
  readCSV(path: string, options?: { inferSchemaLength: number }): Frame;
  readIPC(bytes: Buffer): Frame;
  readIPCStream(bytes: Buffer): Frame;
}

interface IpcOptions {
  readonly compression: 'lz4' | 'zstd';
}

interface Frame {
  writeCSV(path: string): void;
  writeJSON(path: string, options: { format: 'lines' }): void;
  writeIPC(path: string, options?: IpcOptions): void;
  writeIPCStream(path: string, options?: IpcOptions): void;
  writeParquet(path: string): void;
  toRecords(): Rows;
}

/** Rows from which the types of a CSV file's columns are inferred. */
const INFER = { inferSchemaLength: 10_000 };
const LINES = { format: 'lines' } as const;

/** @throws if Polars has no build for this platform and version of Node.js */
export function polars(): Frames {
  const { default: pl }: { default: Polars } = requireFrom('dataframes')('nodejs-polars');
  return {
    name: 'Polars',
    async write(csv, folder) {
      const frame = pl.readCSV(csv, INFER);
      const files: WrittenFile[] = [];
      const path = (format: WrittenFile['format'], compression?: string) => {
        const file = join(folder, `polars.${compression ?? 'plain'}.${format}`);
        files.push({ format, compression, path: file });
        return file;
      };
      frame.writeCSV(path('csv'));
      frame.writeJSON(path('ndjson'), LINES);
      frame.writeIPC(path('arrow-file'));
      frame.writeIPCStream(path('arrow-stream'));
      for (const compression of ['lz4', 'zstd'] as const) {
        frame.writeIPC(path('arrow-file', compression), { compression });
        frame.writeIPCStream(path('arrow-stream', compression), { compression });
      }
      frame.writeParquet(path('parquet'));
      return files;
    },
    // Its reader of JSON lines fails in version 0.26.1: it calls a function that the build lacks.
    reads: ['csv', 'arrow-file', 'arrow-stream'],
    async read({ format, path }) {
      if (format === 'csv') return pl.readCSV(path, INFER).toRecords();
      const bytes = await readFile(path);
      return (format === 'arrow-file' ? pl.readIPC(bytes) : pl.readIPCStream(bytes)).toRecords();
    },
  };
}
