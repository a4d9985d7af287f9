import * as arrow from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { pieces } from '../../../testkit/prediction/answered-rows.js';
import { MadeNumbers, Written } from '../../../testkit/prediction/hostile-files.js';
import {
  deltasOf,
  hybridOf,
  type MadeChunk,
  type MadePage,
  writeFile,
  writePage,
  zstandardRun,
} from '../../../testkit/prediction/hostile-parquet.js';
import { QUICK, readRows, rentRows } from '../../../testkit/prediction/sample-tables.js';
import { Predictor, readTable, TableError, train } from '../index.js';
import type { AnswerFormat, RowFormat } from './answer-part.js';
import { answerRows } from './answer-rows.js';
import { TextWriter } from './arrow/column-writers.js';
import { FlatBuilder, int64, int64Structs, table, uint8 } from './arrow/flat-buffers.js';
import { BatchBody, dictionaryMessage, endOfStream, schemaMessage } from './arrow/message-bytes.js';
import { type ArrowType, type Field, INT32, TypeId, UTF8, VERSION } from './arrow/schema.js';
import { FormatError } from './columns/format-error.js';

const MIB = 1024 * 1024;
const predictor = new Predictor(train(readRows(rentRows(60), 'rent'), QUICK));

/** Answers a body, and returns the bytes of each part. */
async function answer(body: Uint8Array, from: RowFormat, to: AnswerFormat): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  for await (const part of answerRows(predictor, pieces(body, MIB), { from, to })) {
    if (part.kind === 'bytes') parts.push(part.bytes);
  }
  return parts;
}

const field = (name: string, type: ArrowType): Field => {
  return { name, type, children: [], dictionary: null };
};

function batch(rows: number, nodes: number[], buffers: number[], body: Uint8Array, views = 0) {
  const variadic = views === 0 ? [] : [int64Structs([views], 1)];
  const header = [int64(rows), int64Structs(nodes, 2), int64Structs(buffers, 2)];
  const metadata = FlatBuilder.bytes([
    VERSION,
    uint8(3),
    table(views === 0 ? header : [...header, undefined, ...variadic]),
    int64(body.length),
  ]);
  return [new Written().little(0xffffffff, 4).little(metadata.length, 4).done(), metadata, body];
}

const stream = (fields: readonly Field[], ...messages: Uint8Array[][]) =>
  Buffer.concat([...schemaMessage(fields), ...messages.flat(), endOfStream()]);

/** One row, whose texts have the same bytes. */
function sharedTexts(): Buffer {
  const names = ['rooms', 'place', 'index'];
  const body = Buffer.alloc(8 + 2 * MIB, 0x61);
  body.writeInt32LE(0, 0);
  body.writeInt32LE(40_000, 4);
  const buffers = names.flatMap(() => [0, 0, 0, 8, 8, 40_000]);
  const nodes = names.flatMap(() => [1, 0]);
  return stream(
    names.map((name) => field(name, UTF8)),
    batch(1, nodes, buffers, body),
  );
}

/** Texts in views, all of the same bytes. */
function sharedViews(rows: number, length: number): Buffer {
  const views = Buffer.alloc(16 * rows);
  for (let row = 0; row < rows; row++) views.writeInt32LE(length, 16 * row);
  const body = Buffer.concat([views, Buffer.alloc(length, 0x61)]);
  const buffers = [0, 0, 0, views.length, views.length, length];
  const type = { id: TypeId.Utf8View, params: [] };
  return stream([field('place', type)], batch(rows, [rows, 0], buffers, body, 1));
}

/** Texts that reach back before the ones that they follow. */
function backwardTexts(): Buffer {
  const offsets = Buffer.from(Int32Array.of(0, 64, 0, 64, 0, 64).buffer);
  const body = Buffer.concat([offsets, Buffer.alloc(64, 0x61)]);
  return stream([field('place', UTF8)], batch(5, [5, 0], [0, 0, 0, 24, 24, 64], body));
}

/** Rows that all have the one long text of a dictionary. */
function repeatedEntry(rows: number, length: number): Buffer {
  const texts = new TextWriter();
  texts.add('a'.repeat(length));
  const values = new BatchBody();
  texts.write(values);
  const coded = { ...field('place', UTF8), dictionary: { id: 1, indexType: INT32 } };
  const body = new Uint8Array(4 * rows);
  return stream([coded], dictionaryMessage(1, 1, false, values), batch(rows, [rows, 0], [0, 0, 0, body.length], body));
}

/** A dictionary of values of truth, a bit each, of one column or of several. */
function wideDictionary(bytes: number, ...names: string[]): Buffer {
  const values = new BatchBody();
  values.node(8 * bytes, 0);
  values.buffer(new Uint8Array());
  values.buffer(new Uint8Array(bytes));
  const type = { id: TypeId.Bool, params: [] };
  const dictionary = { id: 1, indexType: INT32 };
  const coded = names.map((name) => ({ ...field(name, type), dictionary }));
  return stream(coded, dictionaryMessage(1, 8 * bytes, false, values));
}

/** One row of columns that have one dictionary of long texts. */
function sharedEntries(texts: number, ...names: string[]): Buffer {
  const writer = new TextWriter();
  for (let text = 0; text < texts; text++) writer.add(String(text % 10).repeat(MIB / 4));
  const values = new BatchBody();
  writer.write(values);
  const dictionary = { id: 1, indexType: INT32 };
  const coded = names.map((name) => ({ ...field(name, UTF8), dictionary }));
  const nodes = names.flatMap(() => [1, 0]);
  const buffers = names.flatMap((_, at) => [0, 0, 8 * at, 4]);
  const body = Buffer.alloc(8 * names.length);
  return stream(coded, dictionaryMessage(1, texts, false, values), batch(1, nodes, buffers, body));
}

const sound = new MadeNumbers(0, new Set());
const PLACE = { name: 'place', physical: 6, size: 0, isOptional: false };
const INDEX = { name: 'index', physical: 1, size: 4, isOptional: false };
const ZSTANDARD = 6;

const chunk = (...pages: readonly MadePage[]): MadeChunk => {
  return { bytes: Buffer.concat(pages.map(writePage)), dictionaryBytes: 0 };
};

const data = (values: number, encoding: number, packed: Uint8Array, bytes = packed.length) => {
  return { kind: 0, values, encoding, packed, bytes } as const;
};

/** Texts of 63 MiB, which Zstandard makes short. */
function longTexts(): Uint8Array {
  const length = 63 * MIB;
  const packed = zstandardRun(new Written().little(length, 4).done(), length);
  const pages = Array.from({ length: 20 }, () => data(1, 0, packed, 4 + length));
  return writeFile(sound, [PLACE], ZSTANDARD, [{ rows: 20, chunks: [chunk(...pages)] }]);
}

/** Rows that all have the one text of a dictionary. */
function repeatedText(rows: number, length: number): Uint8Array {
  const text = Buffer.concat([new Written().little(length, 4).done(), Buffer.alloc(length, 0x61)]);
  const dictionary = { kind: 2, values: 1, encoding: 0, packed: text, bytes: text.length } as const;
  const indices = Buffer.concat([
    Buffer.of(1),
    new Written()
      .varint(2 * rows)
      .bytes([0])
      .done(),
  ]);
  const chunks = [chunk(dictionary, data(rows, 8, indices))];
  return writeFile(sound, [PLACE], 0, [{ rows, chunks }]);
}

/** Texts each of which is one letter longer than the one before. */
function growingTexts(): Uint8Array {
  const rows = 30_000;
  const lengths = deltasOf(sound, Array<number>(rows).fill(1));
  const prefixes = deltasOf(
    sound,
    Array.from({ length: rows }, (_, index) => index),
  );
  const packed = Buffer.concat([prefixes, lengths, Buffer.alloc(rows, 0x61)]);
  return writeFile(sound, [PLACE], 0, [{ rows, chunks: [chunk(data(rows, 7, packed))] }]);
}

/** Row groups that all say that they are where the first is. */
function sharedGroups(count: number): Uint8Array {
  const first = chunk(data(1, 0, Buffer.alloc(4)));
  const bytes = new Uint8Array();
  const same = { bytes, start: 4, length: first.bytes.length, dictionaryBytes: 0 };
  const groups = Array.from({ length: count }, (_, index) => {
    return { rows: 1, chunks: [index === 0 ? first : same] };
  });
  return writeFile(sound, [INDEX], 0, groups);
}

function sharedColumns(): Uint8Array {
  const first = chunk(data(1, 0, Buffer.alloc(4)));
  const bytes = new Uint8Array();
  const same = { bytes, start: 4, length: first.bytes.length, dictionaryBytes: 0 };
  const columns = [INDEX, { ...INDEX, name: 'rooms' }];
  return writeFile(sound, columns, 0, [{ rows: 1, chunks: [first, same] }]);
}

/** Rows that are all missing, which takes some bytes. */
function rowsOfNothing(rows: number): Uint8Array {
  const levels = hybridOf(sound, [0, 0, 0], 1).subarray(0, 0);
  const run = new Written()
    .varint(2 * rows)
    .bytes([0])
    .done();
  const packed = Buffer.concat([levels, new Written().little(run.length, 4).done(), run]);
  const columns = [{ ...INDEX, isOptional: true }];
  return writeFile(sound, columns, 0, [{ rows, chunks: [chunk(data(rows, 0, packed))] }]);
}

const ARROW: readonly [string, Buffer, RegExp][] = [
  ['buffers that overlap', sharedTexts(), /Batch 1 .* buffer 5 has bytes 0 to 8, which another/],
  ['views of the same bytes', sharedViews(3000, 200_000), /^Batch 1 brings the values to/],
  ['a text of 2 MiB', sharedViews(1, 2 * MIB), /Batch 1, row 1: .*"place" 2,097,152; .*1,048,576/],
  ['offsets that go back', backwardTexts(), /column "place" has texts outside of its bytes/],
  ['an entry in every row', repeatedEntry(20_000, 100_000), /^Batch 1 brings the values to/],
  ['a dictionary of bits', wideDictionary(3 * MIB, 'place'), /^Message 2 of the Arrow data takes 1,/],
  ['a dictionary of two columns', wideDictionary(600_000, 'place', 'index'), /^Message 2 of the Arrow data takes 270,/],
];

const PARQUET: readonly [string, Uint8Array, RegExp][] = [
  ['texts of 63 MiB', longTexts(), /"place", page 1, has 66060292 bytes for 1 values; .* 1048576/],
  ['a text in every row', repeatedText(20_000, 100_000), /^Row group 1 .* brings the values to/],
  ['texts that grow', growingTexts(), /"place", page 1, cannot be read: it takes 268,436,035 bytes/],
  ['groups that share a chunk', sharedGroups(9000), /Row group 2 .* column 1 in bytes 4 to/],
  ['columns that share a chunk', sharedColumns(), /Row group 1 .* column 2 in bytes 4 to/],
  ['rows of nothing', rowsOfNothing(30_000_000), /^A Parquet file of 30,000,000 rows brings the values/],
];

describe('a body is refused, with the place, that expands out of proportion', () => {
  test.each(ARROW)('Arrow of %s', async (_, body, message) => {
    const refused = answer(body, 'arrow-stream', 'arrow-stream');
    await expect(refused).rejects.toThrow(FormatError);
    await expect(refused).rejects.toThrow(message);
    const table = readTable('arrow-stream', pieces(body, MIB), 'place');
    await expect(table).rejects.toThrow(TableError);
    await expect(table).rejects.toThrow(message);
  });

  test.each(PARQUET)('Parquet of %s', async (name, body, message) => {
    const refused = answer(body, 'parquet', 'csv');
    await expect(refused).rejects.toThrow(FormatError);
    await expect(refused).rejects.toThrow(message);
    // A table may have a million rows.
    const target = Buffer.from(body).includes('place') ? 'place' : 'index';
    const table = readTable('parquet', pieces(body, MIB), target);
    await expect(table).rejects.toThrow(TableError);
    if (name !== 'rows of nothing') await expect(table).rejects.toThrow(message);
  });
});

test('a dictionary that one column may have is read', async () => {
  await expect(answer(wideDictionary(600_000, 'place'), 'arrow-stream', 'json')).resolves.not.toEqual([]);
});

test('the dictionaries of an answer do not wait for each other', async () => {
  const names = ['rooms', 'place', 'index'];
  const parts = await answer(sharedEntries(120, ...names), 'arrow-stream', 'arrow-stream');
  const [row] = arrow.tableFromIPC(Buffer.concat(parts)).toArray();
  for (const name of names) expect(row[name]).toBe('0'.repeat(MIB / 4));
});

test('a dictionary that takes too much as an answer is reported with its remedy', async () => {
  const refused = answer(sharedEntries(250, 'place'), 'arrow-stream', 'arrow-stream');
  await expect(refused).rejects.toThrow(
    /^A dictionary of the answer in Arrow takes .* held at once\. Send these columns as text\.$/,
  );
});

test('row groups without rows are passed over', async () => {
  const bytes = new Uint8Array();
  const empty = { rows: 0, chunks: [{ bytes, dictionaryBytes: 0 }] };
  const body = writeFile(sound, [INDEX], 0, Array<typeof empty>(5000).fill(empty));
  expect(Buffer.concat(await answer(body, 'parquet', 'json')).toString()).toBe('[]');
});

describe('rows that are nearly as long as they may be are answered in small parts', () => {
  const texts = Array.from({ length: 40 }, (_, row) => String(row % 10).repeat(MIB - 8));
  const vector = arrow.vectorFromArray(texts, new arrow.Utf8());
  const body = Buffer.from(arrow.tableToIPC(new arrow.Table({ place: vector }), 'stream'));

  test.each(['json', 'csv', 'arrow-stream'] as const)('of %s', async (to) => {
    const parts = await answer(body, 'arrow-stream', to);
    expect(parts.length).toBeGreaterThan(3);
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(12 * MIB);
    const whole = Buffer.concat(parts);
    if (to === 'json') expect(JSON.parse(whole.toString())).toMatchObject(texts.map((place) => ({ place })));
    if (to === 'csv') expect(whole.toString().split('\r\n')).toHaveLength(42);
    if (to !== 'arrow-stream') return;
    expect(arrow.tableFromIPC(whole).getChild('place')?.toJSON()).toEqual(texts);
  });
});

test('a batch of Arrow is cut where its explanations are long', async () => {
  const texts = Array.from({ length: 300 }, (_, row) => '"'.repeat(25_000) + row);
  const rent = arrow.vectorFromArray(texts, new arrow.Utf8());
  const body = Buffer.from(arrow.tableToIPC(new arrow.Table({ rent }), 'stream'));
  const options = { from: 'arrow-stream', to: 'arrow-stream', explain: true } as const;
  const parts: Uint8Array[] = [];
  for await (const part of answerRows(predictor, pieces(body, MIB), options)) {
    if (part.kind === 'bytes') parts.push(part.bytes);
  }
  const answered = arrow.tableFromIPC(Buffer.concat(parts));
  expect(answered.batches.map(({ numRows }) => numRows)).toEqual([256, 44]);
  expect(answered.getChild('rent_original')?.toJSON()).toEqual(texts);
  const explained = answered.getChild('rent_explain')?.toJSON() ?? [];
  expect(explained.map((text) => JSON.parse(String(text)).truth)).toEqual(texts);
});

test('the names of a schema do not share one long text', async () => {
  const names = ['n'.repeat(50_000), ...Array.from({ length: 99 }, (_, index) => `n${index}`)];
  const [message = new Uint8Array()] = schemaMessage(names.map((name) => field(name, UTF8)));
  const view = new DataView(message.buffer, message.byteOffset + 8);
  const follow = (at: number) => at + view.getUint32(at, true);
  const slot = (of: number, index: number) => of + view.getUint16(of - view.getInt32(of, true) + 4 + 2 * index, true);
  const fields = follow(slot(follow(slot(follow(0), 2)), 1));
  const name = (index: number) => slot(follow(fields + 4 + 4 * index), 0);
  const longest = follow(name(0));
  for (let index = 1; index < names.length; index++) {
    view.setUint32(name(index), longest - name(index), true);
  }
  const refused = answer(Buffer.concat([message, endOfStream()]), 'arrow-stream', 'json');
  await expect(refused).rejects.toThrow(/The schema is damaged/);
});
