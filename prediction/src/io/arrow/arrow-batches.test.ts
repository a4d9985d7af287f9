import * as arrow from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { ByteBudget } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import { readArrow } from './arrow-batches.js';
import { TextWriter } from './column-writers.js';
import { FlatBuilder, int64, int64Structs, table, uint8 } from './flat-buffers.js';
import { BatchBody, batchMessage, dictionaryMessage, endOfStream, schemaMessage } from './message-bytes.js';
import { type Field, FLOAT64, INT32, TypeId, UTF8, VERSION } from './schema.js';

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** The values of all columns, by row. */
async function valuesOf(bytes: Uint8Array, format: 'stream' | 'file' = 'stream') {
  const rows: unknown[][] = [];
  const slices = readArrow(once(bytes), format, new ByteBudget(), (fields) => new Set(fields.keys()));
  for await (const { length, vectors } of slices) {
    for (let row = 0; row < length; row++) {
      rows.push([...vectors.values()].map((vector) => vector.value(row)));
    }
  }
  return rows;
}

const number: Field = { name: 'x', type: FLOAT64, children: [], dictionary: null };
const coded: Field = { ...number, type: UTF8, dictionary: { id: 7, indexType: INT32 } };

function body(write: (body: BatchBody) => void): BatchBody {
  const made = new BatchBody();
  write(made);
  return made;
}

/** A batch of numbers. */
const numbers = (...values: number[]) =>
  batchMessage(
    values.length,
    body((to) => {
      to.node(values.length, 0);
      to.buffer(new Uint8Array());
      to.buffer(new Uint8Array(Float64Array.from(values).buffer));
    }),
  );

const indices = (...values: number[]) =>
  batchMessage(
    values.length,
    body((to) => {
      to.node(values.length, 0);
      to.buffer(new Uint8Array());
      to.buffer(new Uint8Array(Int32Array.from(values).buffer));
    }),
  );

const texts = (isDelta: boolean, ...values: string[]) => dictionary(isDelta, values);

function dictionary(isDelta: boolean, values: readonly string[]): Uint8Array[] {
  const writer = new TextWriter();
  for (const value of values) writer.add(value);
  return dictionaryMessage(
    7,
    values.length,
    isDelta,
    body((to) => writer.write(to)),
  );
}

const stream = (field: Field, ...messages: Uint8Array[][]) =>
  Buffer.concat([...schemaMessage([field]), ...messages.flat(), endOfStream()]);

describe('dictionaries', () => {
  test('a delta adds to what was sent', async () => {
    const bytes = stream(coded, texts(false, 'a', 'b'), indices(1, 0), texts(true, 'c'), indices(2, 1));
    expect(await valuesOf(bytes)).toEqual([['b'], ['a'], ['c'], ['b']]);
  });

  test('another takes the place of the first', async () => {
    const bytes = stream(coded, texts(false, 'a'), indices(0), texts(false, 'z'), indices(0));
    expect(await valuesOf(bytes)).toEqual([['a'], ['z']]);
  });

  test('may have a million values', async () => {
    const many = Array.from({ length: 1_000_000 }, (_, index) => `v${index}`);
    const bytes = stream(coded, dictionary(false, many), indices(999_999, 5));
    expect(await valuesOf(bytes)).toEqual([['v999999'], ['v5']]);
  });
});

test('unaligned indices of views are copied once, and counted', async () => {
  const rows = 50_000;
  const views = Buffer.alloc(16);
  views.writeInt32LE(1, 0);
  views.write('v', 4);
  const values = body((to) => {
    to.node(1, 0);
    to.buffer(new Uint8Array());
    to.buffer(views);
  });
  const metadata = FlatBuilder.bytes([
    VERSION,
    uint8(3),
    table([int64(rows), int64Structs([rows, 0], 2), int64Structs([0, 0, 4, 4 * rows], 2)]),
    int64(8 + 4 * rows),
  ]);
  const prefix = new Uint8Array(Uint32Array.of(0xffffffff, metadata.length).buffer);
  const field: Field = { ...coded, type: { id: TypeId.Utf8View, params: [] } };
  const bytes = stream(field, dictionaryMessage(7, 1, false, values), [prefix, metadata, new Uint8Array(8 + 4 * rows)]);
  const budget = new ByteBudget();
  let read = 0;
  for await (const slice of readArrow(once(bytes), 'stream', budget, () => new Set([0]))) {
    expect(slice.vectors.get(0)?.value(0)).toBe('v');
    const [raw] = slice.columns;
    expect((raw?.buffers[0]?.byteOffset ?? 1) % 4).toBe(0);
    read += slice.length;
  }
  expect(read).toBe(rows);
  expect(budget.highest).toBeGreaterThan(2 * 4 * rows);
});

test('texts in views are read, short or long', async () => {
  const views = Buffer.alloc(32);
  views.writeInt32LE(2, 0);
  views.write('ä', 4);
  views.writeInt32LE(15, 16);
  views.write('long', 20);
  views.writeInt32LE(0, 24);
  views.writeInt32LE(3, 28);
  const field: Field = { ...number, type: { id: TypeId.Utf8View, params: [] } };
  const nodes = int64Structs([2, 0], 2);
  const buffers = int64Structs([0, 0, 0, 32, 32, 18], 2);
  const header = [int64(2), nodes, buffers, undefined, int64Structs([1], 1)];
  const metadata = FlatBuilder.bytes([VERSION, uint8(3), table(header), int64(56)]);
  const prefix = Buffer.alloc(8, 0xff);
  prefix.writeInt32LE(metadata.length, 4);
  const data = Buffer.alloc(24);
  data.write('xx long text of 15');
  const bytes = stream(field, [prefix, metadata, views, data]);
  expect(await valuesOf(bytes)).toEqual([['ä'], ['long text of 15']]);
});

/** A message that claims what it does not have. */
function claiming(rows: number, node: number[], buffers: number[], bodyBytes = 0): Uint8Array[] {
  const header = [int64(rows), int64Structs(node, 2), int64Structs(buffers, 2)];
  const metadata = FlatBuilder.bytes([VERSION, uint8(3), table(header), int64(bodyBytes)]);
  const prefix = Buffer.alloc(8, 0xff);
  prefix.writeInt32LE(metadata.length, 4);
  return [prefix, metadata];
}

describe('bytes that are not as they should be are reported', () => {
  const whole = stream(number, numbers(1, 2, 3));
  test.each([
    ['nothing', Buffer.alloc(0), /ends before its schema/],
    ['JSON', Buffer.from('[{"x": 1}]'), /claims \d+ bytes of metadata/],
    ['an end in the middle', whole.subarray(0, whole.length - 30), /in the middle of message 2/],
    ['bytes behind the end', Buffer.concat([whole, Buffer.alloc(9)]), /follow the end/],
    ['a second schema', stream(number, schemaMessage([number])), /second schema/],
    ['gigabytes', stream(number, claiming(1, [1, 0], [0, 0, 0, 8], 2 ** 40)), /claims \d+ bytes/],
    ['2^60 rows', stream(number, claiming(2 ** 60, [2 ** 60, 0], [0, 0, 0, 8])), /Batch 1 claims/],
    ['buffers outside', stream(number, claiming(1, [1, 0], [0, 0, 2 ** 50, 8])), /column "x"/],
    ['too few bytes', stream(number, claiming(900, [900, 0], [0, 0, 0, 0])), /column "x" has fewer/],
    ['an index outside', stream(coded, texts(false, 'a'), indices(1)), /the index 1, but .* 1 values/],
    ['no dictionary', stream(coded, indices(0)), /before the dictionary of its column "x"/],
    [
      'too many columns',
      Buffer.concat(schemaMessage(Array.from({ length: 10_001 }, () => number))),
      /more than 10,000 columns/,
    ],
  ])('%s', async (_, bytes, message) => {
    await expect(valuesOf(bytes)).rejects.toThrow(FormatError);
    await expect(valuesOf(bytes)).rejects.toThrow(message);
  });

  test('a file as a stream, a stream as a file, and a file without its end', async () => {
    const file = arrow.tableToIPC(arrow.tableFromArrays({ x: [1, 2] }), 'file');
    await expect(valuesOf(file)).rejects.toThrow(/is an Arrow file, not a stream/);
    await expect(valuesOf(whole, 'file')).rejects.toThrow(/does not begin with ARROW1/);
    await expect(valuesOf(file.subarray(0, -1), 'file')).rejects.toThrow(/no whole footer/);
  });
});
