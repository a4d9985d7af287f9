import { expect, test } from 'vitest';
import { lz4Frame, zstandardFrame } from '../../../../testkit/prediction/compressed-frames.js';
import {
  MADE_FILES,
  type MadeNumbers,
  makeHostile,
  TIMEOUT,
  tryFiles,
  useValues,
  Written,
} from '../../../../testkit/prediction/hostile-files.js';
import { FormatError } from '../columns/format-error.js';
import { readArrow } from './arrow-batches.js';
import { FlatBuilder, type FlatFields, int64, int64Structs, table, uint8 } from './flat-buffers.js';
import { endOfStream, fileFooter, fileOpening, schemaMessage } from './message-bytes.js';
import { type ArrowType, BOOL, type Field, FLOAT64, INT32, TypeId, UTF8, VERSION } from './schema.js';

const plain = (name: string, id: number, ...params: number[]): Field => {
  return { name, type: { id, params }, children: [], dictionary: null };
};

/** Columns of all layouts. */
const FIELDS: readonly Field[] = [
  plain('float', TypeId.Float, 2),
  plain('half', TypeId.Float, 0),
  plain('int', TypeId.Int, 64, 1),
  plain('byte', TypeId.Int, 8, 0),
  plain('decimal', TypeId.Decimal, 38, 2, 128),
  plain('bool', TypeId.Bool),
  plain('text', TypeId.Utf8),
  plain('large', TypeId.LargeUtf8),
  plain('view', TypeId.Utf8View),
  plain('day', TypeId.Date, 0),
  plain('time', TypeId.Timestamp, 2),
  plain('clock', TypeId.Time, 3, 64),
  plain('null', TypeId.Null),
  { ...plain('list', TypeId.List), children: [plain('item', TypeId.Utf8)] },
  { name: 'code', type: UTF8, children: [], dictionary: { id: 3, indexType: INT32 } },
  { name: 'same code', type: UTF8, children: [], dictionary: { id: 3, indexType: INT32 } },
  { name: 'flag', type: BOOL, children: [], dictionary: { id: 4, indexType: INT32 } },
  { name: 'share', type: FLOAT64, children: [], dictionary: { id: 5, indexType: INT32 } },
];

/** The body of a batch, with its nodes and buffers as the metadata has them. */
class Body {
  readonly nodes: number[] = [];
  readonly buffers: number[] = [];
  readonly variadic: number[] = [];
  readonly #bytes = new Written();

  /** @param codec of its buffers, by number; none, if there is none of it. */
  constructor(
    readonly numbers: MadeNumbers,
    private readonly codec: number,
  ) {}

  column({ type, children, dictionary }: Field, rows: number): void {
    const { numbers } = this;
    this.nodes.push(numbers.set(rows), numbers.set(0));
    if (type.id === TypeId.Null && !dictionary) return;
    this.#buffer(numbers.pick(2) === 0 ? [] : bitsOf(numbers, rows));
    if (dictionary) {
      this.#buffer(littles(numbers, rows, 4, () => numbers.pick(2)));
      return;
    }
    if (type.id === TypeId.Utf8View) this.#views(rows);
    else if (type.id === TypeId.Utf8) this.#texts(rows, 4);
    else if (type.id === TypeId.LargeUtf8) this.#texts(rows, 8);
    else if (type.id === TypeId.Bool) this.#buffer(bitsOf(numbers, rows));
    else if (type.id === TypeId.List) {
      this.#buffer(littles(numbers, rows + 1, 4, (row) => row));
      for (const child of children) this.column(child, rows);
    } else this.#buffer(littles(numbers, rows, widthOf(type), () => numbers.pick(200)));
  }

  done(): Uint8Array {
    return this.#bytes.done();
  }

  #compressed(bytes: Uint8Array): Uint8Array {
    const { numbers } = this;
    const frameOf = CODECS[this.codec];
    if (frameOf === undefined || (bytes.length === 0 && numbers.pick(2) === 0)) return bytes;
    const isRaw = numbers.pick(4) === 0;
    const frame = isRaw ? bytes : frameOf(numbers, bytes);
    const prefix = numbers.set(isRaw ? -1 : bytes.length);
    return new Written().little(prefix, 8).bytes(frame).done();
  }

  #texts(rows: number, width: number): void {
    const lengths = Array.from({ length: rows }, () => this.numbers.pick(20));
    let end = 0;
    const ends = [0, ...lengths.map((length) => (end += length))];
    this.#buffer(littles(this.numbers, rows + 1, width, (row) => ends[row] ?? 0));
    this.#buffer(Array.from({ length: end }, () => 0x61 + this.numbers.pick(4)));
  }

  #views(rows: number): void {
    const { numbers } = this;
    const views = new Written();
    const data = new Written();
    for (let row = 0; row < rows; row++) {
      const length = numbers.pick(24);
      views.little(numbers.set(length), 4);
      const text = Array.from({ length }, () => 0x61 + numbers.pick(4));
      if (length <= 12) views.bytes([...text, ...Array<number>(12 - length).fill(0)]);
      else {
        views.bytes(text.slice(0, 4)).little(numbers.set(0), 4);
        views.little(numbers.set(data.length), 4);
        data.bytes(text);
      }
    }
    this.variadic.push(numbers.set(1));
    this.#buffer(views.done());
    this.#buffer(data.done());
  }

  #buffer(bytes: Iterable<number>): void {
    const start = this.#bytes.length;
    const end = this.#bytes.bytes(this.#compressed(Uint8Array.from(bytes))).length;
    this.buffers.push(this.numbers.set(start), this.numbers.set(end - start));
    this.#bytes.bytes(Array<number>((8 - (end % 8)) % 8).fill(0));
  }
}

const CODECS = [lz4Frame, zstandardFrame];

function widthOf({ id, params }: ArrowType): number {
  if (id === TypeId.Float) return 2 << Number(params[0]);
  if (id === TypeId.Int) return Number(params[0]) / 8;
  if (id === TypeId.Decimal) return 16;
  return id === TypeId.Date ? 4 : 8;
}

function bitsOf(numbers: MadeNumbers, rows: number): number[] {
  return Array.from({ length: Math.ceil(rows / 8) }, () => numbers.pick(256));
}

/** Some of the numbers can be others. */
function littles(numbers: MadeNumbers, count: number, width: number, value: (row: number) => number): Uint8Array {
  const written = new Written();
  for (let row = 0; row < count; row++) written.little(numbers.set(value(row)), width);
  return written.done();
}

/** A message, of whose metadata some words can be others, whatever they mean. */
function message(numbers: MadeNumbers, kind: number, header: FlatFields, body: Uint8Array) {
  const metadata = FlatBuilder.bytes([VERSION, uint8(kind), table(header), int64(numbers.set(body.length))]);
  const view = new DataView(metadata.buffer, metadata.byteOffset, metadata.length);
  for (let poke = 0; poke < 4; poke++) {
    const at = 4 * numbers.pick(metadata.length / 4);
    view.setUint32(at, numbers.set(view.getUint32(at, true)), true);
  }
  const prefix = new Written().little(0xffffffff, 4).little(numbers.set(metadata.length), 4);
  return [prefix.done(), metadata, body];
}

function batchFields(numbers: MadeNumbers, fields: readonly Field[], rows: number) {
  const codec = numbers.pick(2 * CODECS.length);
  const body = new Body(numbers, codec);
  for (const field of fields) body.column(field, rows);
  const [nodes, buffers] = [int64Structs(body.nodes, 2), int64Structs(body.buffers, 2)];
  const variadic = int64Structs(body.variadic, 1);
  const compression = table([uint8(codec), uint8(0)]);
  const isCompressed = codec < CODECS.length;
  const header = [...[int64(numbers.set(rows)), nodes, buffers], ...[isCompressed ? compression : undefined, variadic]];
  return { header, bytes: body.done() };
}

function dictionary(numbers: MadeNumbers, field: Field, isDelta: boolean): Uint8Array[] {
  const { header, bytes } = batchFields(numbers, [{ ...field, dictionary: null }], 2);
  const id = int64(numbers.set(field.dictionary?.id ?? 0));
  return message(numbers, 2, [id, table(header), uint8(Number(isDelta))], bytes);
}

function messages(numbers: MadeNumbers, fields: readonly Field[]): Uint8Array[] {
  const made: Uint8Array[] = [];
  const coded = fields.filter((field) => field.dictionary);
  for (let batch = 0; batch <= numbers.pick(2); batch++) {
    for (const field of coded) {
      made.push(...dictionary(numbers, field, batch > 0 && numbers.pick(2) === 0));
    }
    const { header, bytes } = batchFields(numbers, fields, numbers.pick(20));
    made.push(...message(numbers, 3, header, bytes));
  }
  return made;
}

function someFields(numbers: MadeNumbers): Field[] {
  return Array.from({ length: 1 + numbers.pick(5) }, () => FIELDS[numbers.pick(FIELDS.length)]).filter(
    (field) => field !== undefined,
  );
}

function makeStream(numbers: MadeNumbers): Uint8Array {
  const fields = someFields(numbers);
  return Buffer.concat([...schemaMessage(fields), ...messages(numbers, fields), endOfStream()]);
}

/** Some writers put the schema of a file into its footer only. */
function makeFile(numbers: MadeNumbers): Uint8Array {
  const fields = someFields(numbers);
  const schema = numbers.pick(3) === 0 ? [] : schemaMessage(fields);
  const parts = [fileOpening(), ...schema, ...messages(numbers, fields), endOfStream()];
  const footer = Buffer.from(fileFooter(fields, [], []));
  footer.writeInt32LE(numbers.set(footer.readInt32LE(footer.length - 10)) | 0, footer.length - 10);
  return Buffer.concat([...parts, footer]);
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}

test.each([
  ['stream', makeStream],
  ['file', makeFile],
] as const)(
  'numbers of an Arrow %s that are chosen to harm are read or refused',
  async (format, make) => {
    const outcomes = await tryFiles(
      (seed) => makeHostile(make, seed),
      async (bytes, budget) => {
        const all = (names: readonly string[]) => new Set(names.keys());
        for await (const { vectors, length } of readArrow(inPieces(bytes), format, budget, all)) {
          useValues(vectors, length);
        }
      },
      (error) => error instanceof FormatError,
    );
    expect(outcomes.read).toBeGreaterThan(MADE_FILES / 8);
    expect(outcomes.refused).toBeGreaterThan(MADE_FILES / 8);
  },
  TIMEOUT,
);
