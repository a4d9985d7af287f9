import { expect, test } from 'vitest';
import { MADE_FILES, makeHostile, TIMEOUT, tryFiles, useValues } from '../../../../testkit/prediction/hostile-files.js';
import { makeParquet } from '../../../../testkit/prediction/hostile-parquet.js';
import type { ByteFile } from '../columns/byte-file.js';
import { FormatError } from '../columns/format-error.js';
import { readParquet } from './parquet-groups.js';

/** A file that counts the bytes that are read of it, all of which it must have. */
class CountedFile implements ByteFile {
  bytesRead = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get length(): number {
    return this.bytes.length;
  }

  read(start: number, end: number): Promise<Uint8Array> {
    const isInside = start >= 0 && start <= end && end <= this.length;
    if (!isInside) throw new Error(`Bytes ${start} to ${end} of ${this.length} are read`);
    this.bytesRead += end - start;
    return Promise.resolve(this.bytes.subarray(start, end));
  }
}

test(
  'numbers of a Parquet file that are chosen to harm are read or refused',
  async () => {
    const outcomes = await tryFiles(
      (seed) => makeHostile(makeParquet, seed),
      async (bytes, budget) => {
        const file = new CountedFile(bytes);
        const all = (names: readonly string[]) => new Set(names.keys());
        for await (const { vectors, length } of readParquet(file, budget, 1e6, all)) {
          useValues(vectors, length);
        }
        // The marks at the ends are looked at before the footer is.
        expect(file.bytesRead).toBeLessThanOrEqual(bytes.length + 12);
      },
      (error) => error instanceof FormatError,
    );
    expect(outcomes.read).toBeGreaterThan(MADE_FILES / 8);
    expect(outcomes.refused).toBeGreaterThan(MADE_FILES / 8);
  },
  TIMEOUT,
);
