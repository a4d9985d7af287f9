import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { requireFrom } from '../../tools/on-demand/installed.js';
import type { Frames, Rows, WrittenFile } from './frames.js';

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
