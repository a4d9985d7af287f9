import { randomUUID } from 'node:crypto';
import { type FileHandle, open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { OrderedRows, type OrderedSink } from '../../table/row-reader.js';
import { MAX_ROWS, type Table } from '../../table/table.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { addBatches, type ReadOptions, readTable } from '../read-table.js';
import { type ByteFile, readParquet } from './parquet-groups.js';

/**
 * Reads a table from a Parquet file: see `readTable`. As the end of the file is needed first, it is written to a
 * temporary file without a name.
 *
 * @throws {TableError} if it is none, or no model can be trained on the table.
 * @throws the source's own error, if it breaks off, and that of the temporary file.
 */
export function readParquetTable(
  source: AsyncIterable<Uint8Array>,
  target: string,
  options: ReadOptions = {},
): Promise<Table> {
  return readTable(source, options, async (pieces) => {
    const rows = new OrderedRows(target, options);
    await addParquet(pieces, rows);
    return rows.build();
  });
}

/**
 * Adds the rows of a Parquet file, until no more are wanted.
 *
 * @throws {FormatError | TableError} at a fault of the file.
 */
export async function addParquet(
  pieces: AsyncIterable<Uint8Array>,
  rows: OrderedSink,
): Promise<void> {
  const file = await SpoolFile.of(pieces);
  try {
    const batches = readParquet(file, new ByteBudget(), MAX_ROWS, (names) => {
      rows.begin(names);
      return new Set(names.keys());
    });
    await addBatches(rows, batches);
  } finally {
    await file.close();
  }
}

/** A temporary file without a name: it is gone when it is closed, or the process ends. */
class SpoolFile implements ByteFile {
  readonly #handle: FileHandle;
  #length = 0;

  /** @throws the error of the source, or of the file system. */
  static async of(source: AsyncIterable<Uint8Array>): Promise<SpoolFile> {
    const path = join(tmpdir(), `roster-${randomUUID()}`);
    const handle = await open(path, 'wx+', 0o600);
    try {
      await unlink(path);
      const file = new SpoolFile(handle);
      for await (const piece of source) await file.#append(piece);
      return file;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  get length(): number {
    return this.#length;
  }

  async read(start: number, end: number): Promise<Uint8Array> {
    const bytes = new Uint8Array(end - start);
    let filled = 0;
    while (filled < bytes.length) {
      const { bytesRead } = await this.#handle.read(
        bytes,
        filled,
        bytes.length - filled,
        start + filled,
      );
      if (bytesRead === 0) throw new Error('The temporary file is shorter than what was written.');
      filled += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let written = 0; written < bytes.length; ) {
      const { bytesWritten } = await this.#handle.write(bytes, written);
      written += bytesWritten;
    }
    this.#length += bytes.length;
  }
}
