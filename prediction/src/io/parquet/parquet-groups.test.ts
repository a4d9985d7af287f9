import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { describe, expect, test } from 'vitest';
import { ByteBudget } from '../columns/byte-budget.js';
import type { ByteFile } from '../columns/byte-file.js';
import { FormatError } from '../columns/format-error.js';
import { readParquet } from './parquet-groups.js';

/** Files that DuckDB 1.5 wrote, all with the same rows, which `expectedRow` makes. */
const SAMPLES = ['snappy', 'zstandard', 'gzip', 'brotli', 'lz4', 'version-2', 'differences', 'groups'];

const sample = (name: string) => readFileSync(new URL(`./samples/${name}.parquet`, import.meta.url));

function inMemory(bytes: Uint8Array): ByteFile {
  return { length: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}

/** All rows of a file, by column name. */
async function rowsOf(bytes: Uint8Array): Promise<Record<string, unknown>[]> {
  let names: readonly string[] = [];
  const rows: Record<string, unknown>[] = [];
  const groups = readParquet(inMemory(bytes), new ByteBudget(), 1_000_000, (sent) => {
    names = sent;
    return new Set(sent.keys());
  });
  for await (const { length, vectors } of groups) {
    for (let row = 0; row < length; row++) {
      rows.push(Object.fromEntries(names.map((name, at) => [name, vectors.get(at)?.value(row)])));
    }
  }
  return rows;
}

const EXACT = 12345678901234567890123456789n;

function expectedRow(index: number): Record<string, unknown> {
  const moment = Date.UTC(1969, 11, 31, 23, 59, 59, 999) + index * 1e8;
  return {
    tiny: index - 5,
    big: index * 3e9,
    large: Number(9223372036854775807n + BigInt(index)),
    price: index * 1.25,
    exact: Number(`${EXACT * BigInt(index - 3)}e-10`),
    half: index / 3,
    single: Math.fround(index / 3),
    label: index % 4 === 1 ? null : `text ${index % 3}`,
    flag: index % 2 === 0,
    day: new Date(Date.UTC(1969, 11, 30 + index)).toISOString().slice(0, 10),
    moment: new Date(moment).toISOString(),
    fine: '2001-02-03T04:05:06.789Z',
    clock: new Date(Date.UTC(2000, 0, 1, 12, 34, 56 + index, 789)).toISOString().slice(11, 23),
    id: `00000000-0000-0000-0000-0000000000${10 + index}`,
    list: null,
    record: null,
    y: index * index,
  };
}

test.each(SAMPLES)('a file of DuckDB is read: %s', async (name) => {
  expect(await rowsOf(sample(name))).toEqual(Array.from({ length: 20 }, (_, row) => expectedRow(row)));
});

test('whatever is written is read', async () => {
  const cells = <T>(value: fc.Arbitrary<T>) =>
    fc.array(fc.option(value, { freq: 4 }), { minLength: 30, maxLength: 30 });
  const columns = fc.record({
    number: cells(fc.double({ noNaN: true })),
    int: cells(fc.integer()),
    few: cells(fc.constantFrom('a', 'b', 'ä')),
    text: cells(fc.string()),
    flag: cells(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(columns, fc.constantFrom(7, 30), async (values, rowGroupSize) => {
      const { number, int, few, text, flag } = values;
      const buffer = parquetWriteBuffer({
        columnData: [
          { name: 'number', data: number, type: 'DOUBLE' },
          { name: 'int', data: int, type: 'INT32' },
          { name: 'few', data: few, type: 'STRING' },
          { name: 'text', data: text, type: 'STRING' },
          { name: 'flag', data: flag, type: 'BOOLEAN' },
        ],
        rowGroupSize,
      });
      const rows = number.map((_, row) => ({
        number: number[row],
        int: int[row],
        few: few[row],
        text: text[row],
        flag: flag[row],
      }));
      expect(await rowsOf(new Uint8Array(buffer))).toEqual(rows);
    }),
    { numRuns: 40 },
  );
});

describe('a file that is not as it should be is reported', () => {
  const whole = sample('snappy');
  const withFooterLength = (length: number) => {
    const bytes = Buffer.from(whole);
    bytes.writeUInt32LE(length, bytes.length - 8);
    return bytes;
  };
  test.each([
    ['nothing', Buffer.alloc(0), /does not begin with PAR1/],
    ['a file of another kind', Buffer.from('{"rows": []}'), /does not begin with PAR1/],
    ['an encrypted file', Buffer.from('PARE1234PARE'), /encrypted/],
    ['a file that was cut off', whole.subarray(0, 2000), /cut off/],
    ['a footer longer than the file', withFooterLength(2 ** 31), /claims 2147483648 bytes/],
    ['a footer that begins elsewhere', withFooterLength(500), /footer|schema|row group/i],
  ])('%s', async (_, bytes, message) => {
    await expect(rowsOf(bytes)).rejects.toThrow(FormatError);
    await expect(rowsOf(bytes)).rejects.toThrow(message);
  });

  test('a column of another codec', async () => {
    const bytes = parquetWriteBuffer({
      columnData: [{ name: 'x', data: [1, 2], type: 'INT32' }],
      codec: 'LZO',
      compressors: { LZO: (input) => input },
    });
    await expect(rowsOf(new Uint8Array(bytes))).rejects.toThrow(/column "x", .* codec LZO/);
  });

  test('more rows than are read', async () => {
    const read = readParquet(inMemory(whole), new ByteBudget(), 19, () => new Set());
    await expect(read.next()).rejects.toThrow(/has 20 rows; at most 19 are read/);
  });
});
