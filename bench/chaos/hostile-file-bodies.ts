import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { TextWriter } from '../../prediction/src/io/arrow/column-writers.js';
import {
  BatchBody,
  batchMessage,
  dictionaryMessage,
  schemaMessage,
} from '../../prediction/src/io/arrow/message-bytes.js';
import { type Field, INT32, UTF8 } from '../../prediction/src/io/arrow/schema.js';
import { arrowStream } from '../../testkit/data/made-arrow.js';
import {
  BODY_START,
  Codec,
  Encoding,
  type MadeChunk,
  oneRun,
  Physical,
  page,
  parquetFile,
  plainDoubles,
  plainTexts,
} from '../../testkit/data/made-parquet.js';

const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;

/** The columns of texts of the attackers' model; its target is `y`. */
const TEXTS: readonly string[] = Array.from({ length: 30 }, (_, column) => `t${column}`);

/** A small table that trains a model of these columns. */
export const WIDE_TABLE: string = [
  [...TEXTS, 'y'].join(','),
  ...Array.from({ length: 60 }, (_, row) => [...TEXTS.map(() => 'ab'[row % 2]), row].join(',')),
].join('\n');

/** Numbers that a model cannot keep: their squares are infinite. */
export const HUGE_TARGETS: string = `x,y\n${Array.from(
  { length: 60 },
  (_, row) => `${row},${row % 2 ? '-' : ''}${row + 1}e200\n`,
).join('')}`;

/**
 * Bytes that do not compress: a compressed body may expand to two hundred times its size, and Parquet's pages to
 * as much of its file.
 */
const NOISE = noise(300_000);

/** One row whose thirty texts are the same 40 MiB: 340 KB when compressed. */
export function sharedArrowText(): Buffer {
  const length = 40 * MEBIBYTE;
  const body = Buffer.concat([Buffer.alloc(8), NOISE, Buffer.alloc(length, 'a')]);
  body.writeInt32LE(length, 4);
  const places = [
    { start: 0, length: 0 },
    { start: 0, length: 8 },
    { start: 8 + NOISE.length, length },
  ] as const;
  return gzipSync(arrowStream(TEXTS, [{ rows: 1, buffers: TEXTS.map(() => places), body }]));
}

/** A schema and a dictionary of 40 MiB, and a batch of one row that may follow as often as one likes. */
export function dictionaryStream(): { readonly begin: Buffer; readonly row: Buffer } {
  const field: Field = {
    ...{ name: 't0', type: UTF8, children: [] },
    dictionary: { id: 1, indexType: INT32 },
  };
  const texts = new TextWriter();
  for (let text = 0; text < 40; text += 1) texts.add(noise(MEBIBYTE / 2, text).toString('hex'));
  const values = new BatchBody();
  texts.write(values);
  const code = new BatchBody();
  code.node(1, 0);
  code.buffer(new Uint8Array());
  code.buffer(new Uint8Array(4));
  const begin = [...schemaMessage([field]), ...dictionaryMessage(1, 40, false, values)];
  return { begin: Buffer.concat(begin), row: Buffer.concat(batchMessage(1, code)) };
}

/** One row with twenty texts of 63 MiB, in 6.3 MB. */
export function largeParquetTexts(): Buffer {
  const text = page({
    codec: Codec.Gzip,
    count: 1,
    values: plainTexts([Buffer.alloc(63 * MEBIBYTE, 'a')]),
  });
  const names = TEXTS.slice(0, 20);
  const chunks = names.map((_, at) => ({
    codec: Codec.Gzip,
    start: BODY_START + at * text.length,
    length: text.length,
  }));
  const padding = Buffer.alloc(6_300_000 - names.length * text.length);
  return parquetFile(
    names.map((name) => ({ name, physical: Physical.Bytes })),
    [{ rows: 1, chunks }],
    [...names.map(() => text), padding],
  );
}

/**
 * Rows that are all the same text of a dictionary.
 * @param length of the text, in bytes
 */
export function dictionaryText(length: number, rows: number): Buffer {
  return sharedChunk(
    [
      page({ kind: 'dictionary', count: 1, values: plainTexts([Buffer.alloc(length, 'a')]) }),
      page({ encoding: Encoding.Dictionary, count: rows, values: oneRun(0, rows) }),
    ],
    { rows, groups: 1, padding: 0 },
  );
}

/** Many row groups that share one short chunk, each of a thousand rows: 0.93 MB. */
export function manyRowGroups(): Buffer {
  const rows = 1000;
  return sharedChunk(
    [
      page({ kind: 'dictionary', count: 1, values: plainTexts(['a'.repeat(KIBIBYTE)]) }),
      page({ encoding: Encoding.Dictionary, count: rows, values: oneRun(0, rows) }),
    ],
    { rows, groups: 13_000, padding: 0 },
  );
}

/** Ninety thousand row groups of one row, each of which is the same 25 MB of the file. */
export function sharedRowGroups(): Buffer {
  const pages = [page({ count: 1, values: plainTexts(['a']) })];
  return sharedChunk(pages, { rows: 1, groups: 90_000, padding: 25_000_000 });
}

/** Row groups of one column of texts and of the target, whose chunks are the same bytes each. */
function sharedChunk(
  pages: readonly Uint8Array[],
  { rows, groups, padding }: { rows: number; groups: number; padding: number },
): Buffer {
  const texts = Buffer.concat([...pages, Buffer.alloc(padding)]);
  const target = page({
    count: rows,
    codec: Codec.Gzip,
    values: plainDoubles(Array.from({ length: rows }, (_, row) => row)),
  });
  const chunks: readonly MadeChunk[] = [
    { codec: Codec.None, start: BODY_START, length: texts.length, hasDictionary: pages.length > 1 },
    { codec: Codec.Gzip, start: BODY_START + texts.length, length: target.length },
  ];
  return parquetFile(
    [
      { name: 't0', physical: Physical.Bytes },
      { name: 'y', physical: Physical.Double },
    ],
    Array.from({ length: groups }, () => ({ rows, chunks })),
    [texts, target],
  );
}

/** Blank lines of NDJSON, 256 MiB of them, with a row now and then: 2 MB when compressed. */
export function blankLines(): Buffer {
  const lines = Buffer.alloc(16 * KIBIBYTE, '\n');
  const rows = Array.from({ length: 16 * KIBIBYTE }, (_, row) =>
    Buffer.concat([lines, Buffer.from(`{"t0":"${noise(60, row).toString('base64')}"}\n`)]),
  );
  return gzipSync(Buffer.concat(rows), { level: 1 });
}

/** Returns bytes without any pattern, always the same. */
function noise(length: number, seed = 0): Buffer {
  return createHash('shake128', { outputLength: length }).update(String(seed)).digest();
}
