import { ByteBudget } from '../columns/byte-budget.js';
import { FormatError } from '../columns/format-error.js';
import type { FlatTable } from './flat-buffers.js';
import { ByteSource, readMessages } from './messages.js';
import { aligned, type Field, param, readSchema, TypeId } from './schema.js';

/** The values of a column of a batch, null where they are missing. Numbers come with a bit for each row, 0 if missing. */
export type ArrowValues =
  | { readonly kind: 'numbers'; readonly values: Float64Array; readonly validity: Uint8Array | null }
  | { readonly kind: 'others'; readonly values: readonly (string | boolean | readonly string[] | null)[] };

/** The rows of a batch, with the columns that were chosen. */
export interface ArrowColumnBatch {
  readonly rows: number;
  readonly columns: readonly ArrowValues[];
}

/** The buffers of a column, with those of the columns within it. */
interface Buffers {
  readonly length: number;
  readonly validity: Uint8Array | null;
  readonly values: readonly Uint8Array[];
  readonly child: Buffers | null;
}

/**
 * Reads the columns of an uncompressed Arrow stream as an answer of the service has them: doubles, truth values, texts,
 * and lists of texts.
 *
 * @param choose is given the fields of the schema, and returns the places of the columns that are read, in ascending
 *   order
 * @throws {FormatError} if the bytes are no such stream, or a chosen column has another type
 * @throws the error of the source
 */
export async function* readArrowColumns(
  source: AsyncIterable<Uint8Array>,
  choose: (fields: readonly Field[]) => readonly number[],
): AsyncGenerator<ArrowColumnBatch> {
  const budget = new ByteBudget();
  const bytes = new ByteSource(source, budget);
  const dictionaries = new Map<number, string[]>();
  let fields: readonly Field[] = [];
  let chosen = new Set<number>();
  try {
    for await (const { kind, header, body, held } of readMessages(bytes, 'stream', budget)) {
      if (kind === 'schema') {
        fields = readSchema(header);
        chosen = new Set(choose(fields));
      } else if (kind === 'dictionary') {
        addDictionary(dictionaries, header, body, fields, chosen);
      } else {
        const columns = readBatch(header, body, fields);
        yield {
          rows: header.int64(0),
          columns: [...chosen].map((place) => toValues(columns[place], fields[place], dictionaries)),
        };
      }
      held.releaseAll();
    }
  } finally {
    await bytes.close();
  }
}

function addDictionary(
  dictionaries: Map<number, string[]>,
  header: FlatTable,
  body: Uint8Array,
  fields: readonly Field[],
  chosen: ReadonlySet<number>,
): void {
  const id = header.int64(0);
  const field = fields.find(({ dictionary }, place) => dictionary?.id === id && chosen.has(place));
  const batch = header.table(1);
  if (field === undefined || batch === undefined) return;
  const [column] = readBatch(batch, body, [{ ...field, dictionary: null }]);
  const texts = readTexts(column, field).map((text) => text ?? '');
  const known = header.bool(2) ? (dictionaries.get(id) ?? []) : [];
  dictionaries.set(id, known.concat(texts));
}

function readBatch(header: FlatTable, body: Uint8Array, fields: readonly Field[]): Buffers[] {
  const nodes = header.int64s(1, 2);
  const places = header.int64s(2, 2);
  let node = 0;
  let buffer = 0;
  const take = () => {
    const [start = 0, length = 0] = places.slice(2 * buffer, 2 * buffer + 2);
    buffer += 1;
    if (start < 0 || length < 0 || start + length > body.length) {
      throw new FormatError('A buffer of the Arrow stream lies outside of its batch.');
    }
    return body.subarray(start, start + length);
  };
  const read = (field: Field): Buffers => {
    const length = nodes[2 * node] ?? 0;
    const missing = nodes[2 * node + 1] ?? 0;
    node += 1;
    const count = bufferCount(field);
    const [validity, ...values] = Array.from({ length: count }, take);
    const [within] = field.dictionary ? [] : field.children;
    const child = within ? read(within) : null;
    return { length, validity: validity && missing > 0 ? validity : null, values, child };
  };
  return fields.map(read);
}

function bufferCount({ type, dictionary }: Field): number {
  if (dictionary) return 2;
  if (type.id === TypeId.Utf8) return 3;
  const isFixed =
    type.id === TypeId.List ||
    type.id === TypeId.Bool ||
    (type.id >= TypeId.Int && type.id <= TypeId.Float) ||
    (type.id >= TypeId.Decimal && type.id <= TypeId.Timestamp);
  if (isFixed) return 2;
  throw new FormatError(`The Arrow stream has a column of the type ${type.id}, which answers do not have.`);
}

const NO_BYTES = new Uint8Array();

function toValues(
  column: Buffers | undefined,
  field: Field | undefined,
  dictionaries: ReadonlyMap<number, readonly string[]>,
): ArrowValues {
  if (column === undefined || field === undefined) throw new FormatError('A batch lacks a column of its schema.');
  const [bytes = NO_BYTES] = column.values;
  const { type, dictionary } = field;
  if (dictionary) {
    const texts = dictionaries.get(dictionary.id) ?? [];
    const codes = aligned(bytes, Int32Array);
    const values = Array.from({ length: column.length }, (_, row) =>
      isMissing(column, row) ? null : (texts[codes[row] ?? -1] ?? null),
    );
    return { kind: 'others', values };
  }
  if (type.id === TypeId.Float && param(type, 0) === 2) {
    return {
      kind: 'numbers',
      values: aligned(bytes, Float64Array).subarray(0, column.length),
      validity: column.validity,
    };
  }
  if (type.id === TypeId.Bool) {
    const values = Array.from({ length: column.length }, (_, row) =>
      isMissing(column, row) ? null : (((bytes[row >> 3] ?? 0) >> (row & 7)) & 1) === 1,
    );
    return { kind: 'others', values };
  }
  if (type.id === TypeId.List) return { kind: 'others', values: readLists(column, field) };
  return { kind: 'others', values: readTexts(column, field) };
}

function readTexts(column: Buffers | undefined, { type, name }: Field): (string | null)[] {
  if (column === undefined || type.id !== TypeId.Utf8) {
    throw new FormatError(`The column ${JSON.stringify(name)} of the answer has another type than text.`);
  }
  const [offsetBytes = NO_BYTES, textBytes = NO_BYTES] = column.values;
  const offsets = aligned(offsetBytes, Int32Array);
  const text = Buffer.from(textBytes.buffer, textBytes.byteOffset, textBytes.length);
  return Array.from({ length: column.length }, (_, row) =>
    isMissing(column, row) ? null : text.toString('utf8', offsets[row] ?? 0, offsets[row + 1] ?? 0),
  );
}

function readLists(column: Buffers, { children: [within] }: Field): (string[] | null)[] {
  const offsets = aligned(column.values[0] ?? NO_BYTES, Int32Array);
  const texts = within && column.child ? readTexts(column.child, within).map((text) => text ?? '') : [];
  return Array.from({ length: column.length }, (_, row) =>
    isMissing(column, row) ? null : texts.slice(offsets[row] ?? 0, offsets[row + 1] ?? 0),
  );
}

function isMissing({ validity }: Buffers, row: number): boolean {
  return validity !== null && (((validity[row >> 3] ?? 0) >> (row & 7)) & 1) === 0;
}
