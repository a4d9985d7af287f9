import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  BatchBody,
  batchMessage,
  dictionaryMessage,
  type Field,
  INT32,
  schemaMessage,
  TextWriter,
  UTF8,
} from 'roster-prediction/internals';
import { arrowStream } from '../../testkit/data/made-arrow.js';
import type { Headers } from '../../testkit/http/client.js';
import { MadeNumbers, Written } from '../../testkit/prediction/hostile-files.js';
import { hybridOf, type MadeChunk, writeFile, writePage } from '../../testkit/prediction/hostile-parquet.js';
import { type Attack, type HostileRequest, hostileClients, MODELS, pouring, type Target } from './attacks.js';
import type { Family } from './family.js';

const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;

/** The columns of texts of the attackers' model; its target is `y`. */
const TEXTS: readonly string[] = Array.from({ length: 30 }, (_, column) => `t${column}`);

/** A small table that trains a model of these columns. */
const WIDE_TABLE: string = [
  [...TEXTS, 'y'].join(','),
  ...Array.from({ length: 60 }, (_, row) => [...TEXTS.map(() => 'ab'[row % 2]), row].join(',')),
].join('\n');

/** Numbers that a model cannot keep: their squares are infinite. */
const HUGE_TARGETS: string = `x,y\n${Array.from(
  { length: 60 },
  (_, row) => `${row},${row % 2 ? '-' : ''}${row + 1}e200\n`,
).join('')}`;

/**
 * Bytes that do not compress: a compressed body may expand to two hundred times its size, and Parquet's pages to
 * as much of its file.
 */
const NOISE = noise(300_000);

/** One row whose thirty texts are the same 40 MiB: 340 KB when compressed. */
function sharedArrowText(): Buffer {
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
function dictionaryStream(): { readonly begin: Buffer; readonly piece: Buffer } {
  const field: Field = { name: 't0', type: UTF8, children: [], dictionary: { id: 1, indexType: INT32 } };
  const texts = new TextWriter();
  for (let text = 0; text < 40; text += 1) texts.add(noise(MEBIBYTE / 2, text).toString('hex'));
  const values = new BatchBody();
  texts.write(values);
  const code = new BatchBody();
  code.node(1, 0);
  code.buffer(new Uint8Array());
  code.buffer(new Uint8Array(4));
  const begin = [...schemaMessage([field]), ...dictionaryMessage(1, 40, false, values)];
  return { begin: Buffer.concat(begin), piece: Buffer.concat(batchMessage(1, code)) };
}

/** The numbers of Parquet files, all as they are given. */
const SOUND = new MadeNumbers(0, new Set());
/** Numbers of parquet.thrift. */
const CODECS = { none: 0, gzip: 2 };
const [BYTES, DOUBLE] = [6, 5];
/** The length of the magic number at the beginning of a file. */
const BODY_START = 4;

function makeColumn(name: string, physical: number) {
  return { name, physical, size: physical === DOUBLE ? 8 : 0, isOptional: false };
}

/** Returns one text in the encoding PLAIN. */
function plainText(length: number): Buffer {
  return Buffer.concat([new Written().little(length, 4).done(), Buffer.alloc(length, 'a')]);
}

function plainPage(values: Uint8Array, count = 1, codec = CODECS.none): Uint8Array {
  const packed = codec === CODECS.gzip ? gzipSync(values) : values;
  return writePage({ kind: 0, values: count, encoding: 0, packed, bytes: values.length });
}

/** Returns a page with one text, and one of rows that all are this text. */
function dictionaryPages(length: number, rows: number): readonly [Uint8Array, Uint8Array] {
  const text = plainText(length);
  const bitWidth = 8;
  const run = hybridOf(SOUND, Array<number>(rows).fill(0), bitWidth);
  const indices = Buffer.concat([Buffer.of(bitWidth), run]);
  return [
    writePage({ kind: 2, values: 1, encoding: 0, packed: text, bytes: text.length }),
    writePage({ kind: 0, values: rows, encoding: 8, packed: indices, bytes: indices.length }),
  ];
}

/** One row with twenty texts of 63 MiB, in 6.3 MB. */
function largeParquetTexts(): Buffer {
  const bytes = plainPage(plainText(63 * MEBIBYTE), 1, CODECS.gzip);
  const names = TEXTS.slice(0, 20);
  const padding = Buffer.alloc(6_300_000 - names.length * bytes.length);
  const chunks = names.map((_, at): MadeChunk => {
    const own = at < names.length - 1 ? bytes : Buffer.concat([bytes, padding]);
    return { bytes: own, length: bytes.length, dictionaryBytes: 0 };
  });
  const columns = names.map((name) => makeColumn(name, BYTES));
  return Buffer.from(writeFile(SOUND, columns, CODECS.gzip, [{ rows: 1, chunks }]));
}

/**
 * Row groups of one column of texts and of the target, whose chunks are the same bytes each.
 * @param padding bytes after the texts, which each group has
 */
function sharedChunk(pages: readonly Uint8Array[], rows: number, groups = 1, padding = 0): Buffer {
  const texts = Buffer.concat([...pages, Buffer.alloc(padding)]);
  const numbers = Float64Array.from({ length: rows }, (_, row) => row);
  const target = plainPage(Buffer.from(numbers.buffer), rows, CODECS.gzip);
  const dictionaryBytes = pages.length > 1 ? (pages[0]?.length ?? 0) : 0;
  const chunks: readonly MadeChunk[] = [
    { codec: CODECS.none, start: BODY_START, bytes: texts, dictionaryBytes },
    { codec: CODECS.gzip, start: BODY_START + texts.length, bytes: target, dictionaryBytes: 0 },
  ];
  const same = chunks.map((chunk): MadeChunk => {
    return { ...chunk, length: chunk.bytes.length, bytes: new Uint8Array() };
  });
  const others = Array.from({ length: groups - 1 }, () => ({ rows, chunks: same }));
  const columns = [makeColumn('t0', BYTES), makeColumn('y', DOUBLE)];
  return Buffer.from(writeFile(SOUND, columns, CODECS.gzip, [{ rows, chunks }, ...others]));
}

/** Rows that are all the same text of a dictionary. @param length of the text, in bytes */
function dictionaryText(length: number): Buffer {
  return sharedChunk(dictionaryPages(length, 20_000), 20_000);
}

/** Blank lines of NDJSON, 256 MiB of them, with a row now and then: 2 MB when compressed. */
function blankLines(): Buffer {
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

const ARROW = { 'Content-Type': 'application/vnd.apache.arrow.stream' };
const PARQUET = { 'Content-Type': 'application/vnd.apache.parquet' };
const NDJSON = { 'Content-Type': 'application/x-ndjson' };
const GZIP = { 'Content-Encoding': 'gzip' };
const WIDE = `${MODELS}/wide`;

/** The statuses of rows and of tables that are refused for what they are. */
const REFUSED = [400, 422];

/** Returns an attack that predicts the rows of a file, answered in each format, and trains from it. */
function ofFile(name: string, make: () => Buffer, headers: Headers, expects: readonly number[] = REFUSED): Attack {
  let made: Buffer | undefined;
  return hostileClients(
    name,
    async (target, owner) => {
      await trainWide(target, owner);
      made ??= make();
      const body = made;
      const formats = [ARROW['Content-Type'], 'application/json', 'text/csv'];
      const predict = (Accept: string): HostileRequest => ({
        method: 'POST',
        path: () => `${WIDE}/predict`,
        body,
        headers: { ...headers, Accept },
      });
      return [...formats.map(predict), train(body, headers, Number.POSITIVE_INFINITY)];
    },
    { expects },
  );
}

/** Trains a model of texts, whose rows are attacked. */
function trainWide(target: Target, owner: Headers): Promise<void> {
  return target.model(owner, WIDE_TABLE, WIDE, 'y');
}

/** @param models the number of models that are trained in turn */
function train(body: Buffer, headers: Headers, models: number): HostileRequest {
  const path = (n: number) => `${MODELS}/m${Math.floor(n / 2) % models}?target=y`;
  return { method: 'PUT', path, headers, body };
}

/** Files that cost far more than they are long, and numbers that no model holds. */
export const hostileFiles: Family = {
  name: 'hostile-files',
  bounds: { health: 250, memory: 1024 },
  attacks: [
    ofFile('shared-arrow-text', sharedArrowText, { ...ARROW, ...GZIP }),
    ofFile('large-parquet-texts', largeParquetTexts, PARQUET),
    ofFile('dictionary-text', () => dictionaryText(100_000), PARQUET),
    ofFile('large-dictionary-text', () => dictionaryText(31_000_000), PARQUET),
    // Ninety thousand row groups of one row, each of which is the same 25 MB of the file.
    ofFile('shared-row-groups', () => sharedChunk([plainPage(plainText(1))], 1, 90_000, 25e6), PARQUET),
    // Many row groups that share one short chunk, each of a thousand rows: 0.46 MB.
    ofFile('many-row-groups', () => sharedChunk(dictionaryPages(KIBIBYTE, 1000), 1000, 13_000), PARQUET),
    ofFile('blank-lines', blankLines, { ...NDJSON, ...GZIP }, [200, 422]),
    hostileClients(
      'huge-targets',
      async (target, owner) => {
        await target.project(owner);
        return [
          train(Buffer.from(HUGE_TARGETS), { 'Content-Type': 'text/csv' }, 4),
          {
            method: 'POST',
            path: (n) => `${MODELS}/m${Math.floor(n / 2) % 4}/predict`,
            headers: { 'Content-Type': 'application/json' },
            body: Buffer.from('[{"x":1}]'),
          },
        ];
      },
      { expects: [202] },
    ),
    // Arrow streams that hold a dictionary just below what one may hold, and go on row by row. As many as the service
    // takes on at once are answered.
    pouring(
      'held-dictionaries',
      () => ({
        method: 'POST',
        path: () => `${WIDE}/predict`,
        type: ARROW['Content-Type'],
        length: 2 ** 32,
        ...dictionaryStream(),
        between: 200,
      }),
      { owners: 2, clients: 4, pause: 500, expects: [200], prepare: trainWide },
    ),
  ],
  isHostile: true,
};
