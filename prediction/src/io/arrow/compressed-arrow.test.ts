import { readFileSync } from 'node:fs';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { answer } from '../../../../testkit/prediction/answered-rows.js';
import { lz4Frame, zstandardFrame } from '../../../../testkit/prediction/compressed-frames.js';
import { MadeNumbers, Written } from '../../../../testkit/prediction/hostile-files.js';
import { QUICK, readRows } from '../../../../testkit/prediction/sample-tables.js';
import { Predictor, readRowsTable, readTable, train } from '../../index.js';
import { ByteBudget } from '../columns/byte-budget.js';
import { decompressLz4Frame } from '../columns/compression.js';
import { FormatError } from '../columns/format-error.js';
import { readArrow } from './arrow-batches.js';
import { FlatBuilder, int64, int64Structs, table, uint8 } from './flat-buffers.js';
import { endOfStream, schemaMessage } from './message-bytes.js';
import { BOOL, type Field, FLOAT64, VERSION } from './schema.js';

/**
 * Files that pyarrow 25.0 and Polars 1.44 wrote with compression, all with the rows of `expectedRow`. Those of
 * `pyarrow-lz4`, Feather by default, have texts with offsets, the others have views.
 */
const SAMPLES = [
  ['pyarrow-lz4.arrow', 'file'],
  ['pyarrow-zstandard.arrows', 'stream'],
  // Its schema is without a length at the beginning.
  ['polars-lz4.arrow', 'file'],
  ['polars-lz4.arrows', 'stream'],
  ['polars-zstandard.arrows', 'stream'],
] as const;

const sample = (name: string) => readFileSync(new URL(`./samples/${name}`, import.meta.url));

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** All rows, by column name. */
async function rowsOf(bytes: Uint8Array, format: 'stream' | 'file' = 'stream', budget = new ByteBudget()) {
  let names: readonly string[] = [];
  const rows: Record<string, unknown>[] = [];
  const slices = readArrow(once(bytes), format, budget, (fields) => {
    names = fields;
    return new Set(fields.keys());
  });
  for await (const { length, vectors } of slices) {
    for (let row = 0; row < length; row++) {
      rows.push(Object.fromEntries(names.map((name, at) => [name, vectors.get(at)?.value(row)])));
    }
  }
  return rows;
}

function expectedRow(index: number): Record<string, unknown> {
  return {
    tiny: (index % 7) - 3,
    big: index * 3e9,
    price: index % 10 === 3 ? null : index * 1.25,
    single: index / 4,
    label: index % 4 === 1 ? null : `text ${index % 3}`,
    long: `a text of more than twelve bytes ${index % 5}`,
    flag: index % 2 === 0,
    day: new Date(Date.UTC(1969, 11, 30 + index)).toISOString().slice(0, 10),
    moment: new Date(Date.UTC(2020, 0, 1, index)).toISOString(),
    exact: (index - 3) / 100,
    code: ['north', 'south', null, 'west'][index % 4],
    list: null,
    none: null,
    y: index * index,
  };
}

const EXPECTED = Array.from({ length: 60 }, (_, index) => expectedRow(index));

test.each(SAMPLES)('a file with compression is read: %s', async (name, format) => {
  expect(await rowsOf(sample(name), format)).toEqual(EXPECTED);
  const table = await readTable(`arrow-${format}`, once(sample(name)), 'y');
  expect(table).toEqual(readRowsTable(EXPECTED, 'y'));
});

test.each(SAMPLES)('rows with compression are predicted: %s', async (name, format) => {
  const predictor = new Predictor(train(readRows(EXPECTED, 'y'), QUICK));
  const rows = Buffer.from(JSON.stringify(EXPECTED));
  const from = `arrow-${format}` as const;
  for (const to of ['json', 'csv', 'arrow-stream'] as const) {
    const { bytes } = await answer(predictor, sample(name), { from, to });
    const { bytes: expected } = await answer(predictor, rows, { from: 'json', to });
    if (to !== 'arrow-stream') expect(bytes.toString()).toBe(expected.toString());
    else expect(predictedOf(bytes)).toEqual(predictedOf(expected));
  }
});

/** The prediction and a text that was passed on, of an answer in Arrow. */
function predictedOf(bytes: Uint8Array): unknown {
  const table = tableFromIPC(bytes);
  return ['y', 'y_min', 'long'].map((name) => [...(table.getChild(name) ?? [])]);
}

test('copies of LZ4 may reach into earlier blocks', async () => {
  const rows = await rowsOf(sample('pyarrow-blocks.arrow'), 'file');
  const text = 'a text whose column is longer than a block, '.repeat(25);
  expect(rows).toEqual(Array.from({ length: 100 }, (_, index) => ({ text: `${index} ${text}` })));
});

const sound = new MadeNumbers(0, new Set());
const number: Field = { name: 'x', type: FLOAT64, children: [], dictionary: null };
const VALUES = new Uint8Array(Float64Array.of(1, 2, 3).buffer);

const prefixed = (length: number, bytes: Uint8Array) => new Written().little(length, 8).bytes(bytes).done();

/** A stream of one batch and one column, whose values are such bytes. */
function streamOf(codec: number, values: Uint8Array, { field = number, rows = 3, method = 0 } = {}) {
  const nodes = int64Structs([rows, 0], 2);
  const buffers = int64Structs([0, 0, 0, values.length], 2);
  const compression = table([uint8(codec), uint8(method)]);
  const metadata = FlatBuilder.bytes([
    VERSION,
    uint8(3),
    table([int64(rows), nodes, buffers, compression]),
    int64(values.length),
  ]);
  const prefix = new Written().little(0xffffffff, 4).little(metadata.length, 4).done();
  return Buffer.concat([...schemaMessage([field]), prefix, metadata, values, endOfStream()]);
}

const LZ4 = 0;
const ZSTANDARD = 1;
const lz4 = lz4Frame(sound, VALUES);
const zstandard = zstandardFrame(sound, VALUES);

test.each<[string, number, Uint8Array]>([
  ['LZ4', LZ4, prefixed(24, lz4)],
  ['LZ4 with bytes behind it', LZ4, prefixed(24, Buffer.concat([lz4, Buffer.alloc(8)]))],
  ['Zstandard', ZSTANDARD, prefixed(24, zstandard)],
  ['no compression', ZSTANDARD, prefixed(-1, VALUES)],
])('a buffer of %s is read', async (_, codec, values) => {
  expect(await rowsOf(streamOf(codec, values))).toEqual([{ x: 1 }, { x: 2 }, { x: 3 }]);
});

const GIB = 2 ** 30;

describe('a buffer is refused', () => {
  test.each<[string, Buffer, RegExp]>([
    ['of another codec', streamOf(2, prefixed(24, lz4)), /Batch 1 has a compression that is not/],
    ['of a whole body', streamOf(0, prefixed(24, lz4), { method: 1 }), /Batch 1 has a compression/],
    ['without its length', streamOf(LZ4, VALUES.subarray(0, 7)), /buffer 2 ends before its length/],
    ['of negative length', streamOf(LZ4, prefixed(-2, lz4)), /buffer 2 claims -2 bytes/],
    ['of 2^62 bytes', streamOf(LZ4, prefixed(2 ** 62, lz4)), /claims 4611686018427388000 bytes without/],
    ['of a GiB', streamOf(ZSTANDARD, prefixed(GIB, zstandard)), /at most 67108864 are read/],
    ['that is shorter', streamOf(LZ4, prefixed(32, lz4)), /"x" has bytes that are not 32 in a frame/],
    ['that is longer', streamOf(LZ4, prefixed(16, lz4)), /"x" has bytes that are not 16 in a frame/],
    ['of shorter Zstandard', streamOf(1, prefixed(32, zstandard)), /not 32 in a frame of Zstandard/],
    ['of longer Zstandard', streamOf(1, prefixed(16, zstandard)), /not 16 in a frame of Zstandard/],
    ['of the other codec', streamOf(LZ4, prefixed(24, zstandard)), /not 24 in a frame of LZ4/],
    ['of few numbers', streamOf(LZ4, prefixed(24, lz4), { rows: 4 }), /"x" has fewer than 32 bytes/],
  ])('%s', async (_, bytes, message) => {
    await expect(rowsOf(bytes)).rejects.toThrow(FormatError);
    await expect(rowsOf(bytes)).rejects.toThrow(message);
  });

  test('that is cut off, wherever it is', async () => {
    for (const [codec, frame] of [lz4, zstandard].entries()) {
      for (let end = 0; end < frame.length; end++) {
        const bytes = streamOf(codec, prefixed(24, frame.subarray(0, end)));
        await expect(rowsOf(bytes)).rejects.toThrow(/not 24 in a frame of/);
      }
    }
  });
});

test('what a small body claims is refused before memory is taken', async () => {
  const claimed = 60 * 1024 * 1024;
  const field = { ...number, type: BOOL };
  const one = streamOf(LZ4, prefixed(claimed, lz4), { field });
  const budget = new ByteBudget();
  await expect(rowsOf(one, 'stream', budget)).rejects.toThrow(/not 62914560 in a frame of LZ4/);
  expect(budget.highest).toBeLessThan(2 * claimed);
  // Rows that the bytes would have, if they were there.
  const rows = streamOf(LZ4, prefixed(claimed, lz4), { field, rows: 8 * claimed });
  await expect(rowsOf(rows)).rejects.toThrow(/not 62914560 in a frame of LZ4/);
  const more = streamOf(LZ4, prefixed(24, lz4), { field, rows: 10_000 });
  await expect(rowsOf(more)).rejects.toThrow(/claims 10000 rows, more than its \d+ bytes can hold/);
});

test('a frame of LZ4 with its own dictionary, or of another version, is not read', () => {
  for (const flags of [0x69, 0x28, 0xa8]) {
    const other = Uint8Array.from(lz4);
    other[4] = flags;
    expect(() => decompressLz4Frame(other, new Uint8Array(24))).toThrow(RangeError);
  }
});
