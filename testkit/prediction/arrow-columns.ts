import * as arrow from 'apache-arrow';
import fc from 'fast-check';

/** Columns of all types for tests, as Arrow's own library makes them, and as JSON has the same values. */
export interface SentColumn {
  readonly name: string;
  readonly data: arrow.Data;
  /** By row, the JSON of the value. */
  readonly json: readonly string[];
}

/** Makes a column of values, of which some are null. */
interface Kind<T> {
  readonly value: fc.Arbitrary<T>;
  readonly data: (values: readonly (T | null)[]) => arrow.Data;
  readonly json: (value: T) => string;
}

function bitmap(values: readonly unknown[]): Uint8Array {
  const bits = new Uint8Array(Math.ceil(values.length / 8));
  for (const [row, value] of values.entries()) {
    if (value !== null) bits[row >> 3] = (bits[row >> 3] ?? 0) | (1 << (row & 7));
  }
  return bits;
}

/** Data of fixed width, from its bytes. */
function fixed(type: arrow.DataType, values: readonly unknown[], data: ArrayBufferView): arrow.Data {
  const missing = values.filter((value) => value === null).length;
  return new arrow.Data(type, 0, values.length, missing, [undefined, data, bitmap(values)]);
}

function built(type: arrow.DataType, values: readonly unknown[]): arrow.Data {
  const [data] = arrow.vectorFromArray(values, type).data;
  return data ?? new arrow.Data(type, 0, 0);
}

const asJson = (value: unknown) => JSON.stringify(value);
const digits = (value: bigint) => String(value);

function integers(type: arrow.Int, bits: number, isSigned: boolean): Kind<bigint> {
  const half = 2n ** BigInt(bits - 1);
  return {
    value: isSigned ? fc.bigInt(-half, half - 1n) : fc.bigInt(0n, 2n * half - 1n),
    data: (values) =>
      built(
        type,
        values.map((value) => (bits === 64 || value === null ? value : Number(value))),
      ),
    json: digits,
  };
}

function decimals(precision: number, scale: number, bits: 128 | 256): Kind<bigint> {
  const most = 10n ** BigInt(precision) - 1n;
  return {
    value: fc.oneof(fc.bigInt(-most, most), fc.bigInt(-99_999n, 99_999n)),
    data: (values) => {
      const words = values.flatMap((value) =>
        Array.from({ length: bits / 32 }, (_, word) => Number(BigInt.asUintN(32, (value ?? 0n) >> BigInt(32 * word)))),
      );
      return fixed(new arrow.Decimal(scale, precision, bits), values, Uint32Array.from(words));
    },
    json: (value) => `${value}e${-scale}`,
  };
}

const PER_SECOND = [1n, 1000n, 1_000_000n, 1_000_000_000n];

function timestamps(unit: arrow.TimeUnit, zone: string | null): Kind<bigint> {
  const perSecond = PER_SECOND[unit] ?? 1n;
  const most = unit === arrow.TimeUnit.NANOSECOND ? 9_000_000_000n : 60_000_000_000n;
  return {
    value: fc.oneof(
      fc.bigInt(-most * perSecond, most * perSecond),
      fc.bigInt(1_500_000_000n * perSecond, 1_600_000_000n * perSecond),
    ),
    data: (values) => {
      const data = BigInt64Array.from(values, (value) => value ?? 0n);
      return fixed(new arrow.Timestamp(unit, zone), values, data);
    },
    json: (value) => {
      // Cut off, as the digits of a longer fraction are.
      const scaled = value * 1000n;
      const millis = scaled / perSecond - (scaled % perSecond < 0n ? 1n : 0n);
      return asJson(new Date(Number(millis)).toISOString());
    },
  };
}

const days: Kind<number> = {
  value: fc.integer({ min: -30_000, max: 60_000 }),
  data: (values) =>
    fixed(
      new arrow.DateDay(),
      values,
      Int32Array.from(values, (value) => value ?? 0),
    ),
  json: (value) => asJson(new Date(value * 86_400_000).toISOString().slice(0, 10)),
};

const milliseconds: Kind<number> = {
  value: fc.integer({ min: -(2 ** 44), max: 2 ** 44 }),
  data: (values) =>
    fixed(
      new arrow.DateMillisecond(),
      values,
      BigInt64Array.from(values, (value) => BigInt(value ?? 0)),
    ),
  json: (value) => asJson(new Date(value).toISOString()),
};

const text = fc.oneof(
  fc.constantFrom('centre', 'north', ' south ', '', 'NA', 'TRUE', '12', '1,5', '2020-02-29'),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((value) => Buffer.from(value).toString()),
  fc.string({ minLength: 60, maxLength: 90 }),
);

function texts(type: arrow.DataType): Kind<string> {
  return { value: text, data: (values) => built(type, values), json: asJson };
}

function dictionaries(indices: arrow.Int8 | arrow.Int32): Kind<string> {
  // Each type has its own id.
  const type = () => new arrow.Dictionary(new arrow.Utf8(), indices);
  return { value: text, data: (values) => built(type(), values), json: asJson };
}

const halves: Kind<number> = {
  // Those that a number of 16 bits holds.
  value: fc.integer({ min: -2048, max: 2048 }).map((value) => value / 16),
  data: (values) => built(new arrow.Float16(), values),
  json: asJson,
};

const singles: Kind<number> = {
  value: fc.float({ noNaN: true, noDefaultInfinity: true }),
  data: (values) => built(new arrow.Float32(), values),
  json: asJson,
};

const doubles: Kind<number> = {
  value: fc.double({ noNaN: false, noDefaultInfinity: false }),
  data: (values) => built(new arrow.Float64(), values),
  json: (value) => {
    if (Number.isFinite(value)) return asJson(value);
    return Number.isNaN(value) ? 'null' : `${value < 0 ? '-' : ''}1e400`;
  },
};

const booleans: Kind<boolean> = {
  value: fc.boolean(),
  data: (values) => built(new arrow.Bool(), values),
  json: asJson,
};

const lists: Kind<number[]> = {
  value: fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 3 }),
  data: (values) => built(new arrow.List(new arrow.Field('item', new arrow.Int32(), true)), values),
  json: () => 'null',
};

function makeColumn<T>({ value, data, json }: Kind<T>, rows: number) {
  const cells = fc.array(fc.option(value, { freq: 5 }), { minLength: rows, maxLength: rows });
  return cells.map((values) => ({
    data: data(values),
    json: values.map((each) => (each === null ? 'null' : json(each))),
  }));
}

const { TimeUnit } = arrow;

/** Returns columns of one type after the other, of so many rows. */
function makeColumns(rows: number) {
  return [
    makeColumn(integers(new arrow.Int8(), 8, true), rows),
    makeColumn(integers(new arrow.Uint8(), 8, false), rows),
    makeColumn(integers(new arrow.Int16(), 16, true), rows),
    makeColumn(integers(new arrow.Uint16(), 16, false), rows),
    makeColumn(integers(new arrow.Int32(), 32, true), rows),
    makeColumn(integers(new arrow.Uint32(), 32, false), rows),
    makeColumn(integers(new arrow.Int64(), 64, true), rows),
    makeColumn(integers(new arrow.Uint64(), 64, false), rows),
    makeColumn(halves, rows),
    makeColumn(singles, rows),
    makeColumn(doubles, rows),
    makeColumn(decimals(9, 2, 128), rows),
    makeColumn(decimals(38, 10, 128), rows),
    makeColumn(decimals(76, 0, 256), rows),
    makeColumn(texts(new arrow.Utf8()), rows),
    makeColumn(texts(new arrow.LargeUtf8()), rows),
    makeColumn(dictionaries(new arrow.Int8()), rows),
    makeColumn(dictionaries(new arrow.Int32()), rows),
    makeColumn(booleans, rows),
    makeColumn(days, rows),
    makeColumn(milliseconds, rows),
    makeColumn(timestamps(TimeUnit.SECOND, null), rows),
    makeColumn(timestamps(TimeUnit.MILLISECOND, 'Europe/Oslo'), rows),
    makeColumn(timestamps(TimeUnit.MICROSECOND, null), rows),
    makeColumn(timestamps(TimeUnit.NANOSECOND, 'UTC'), rows),
    makeColumn(lists, rows),
  ];
}

/** Tables of so many rows, with columns of these names and of any types. */
export function sentTables(names: readonly string[], rows: number): fc.Arbitrary<SentColumn[]> {
  const column = fc.oneof(...makeColumns(rows));
  return fc.tuple(...names.map((name) => column.map((each) => ({ name, ...each }))));
}

/** One column of each type. */
export function everyType(rows: number): fc.Arbitrary<SentColumn[]> {
  return fc.tuple(
    ...makeColumns(rows).map((column, index) => column.map((each) => ({ name: `column ${index}`, ...each }))),
  );
}

/** Returns the rows as an array of JSON. */
export function writeJson(columns: readonly SentColumn[], rows: number): Buffer {
  const objects = Array.from({ length: rows }, (_, row) => {
    const members = columns.map(({ name, json }) => `${JSON.stringify(name)}:${json[row]}`);
    return `{${members.join(',')}}`;
  });
  return Buffer.from(`[${objects.join(',')}]`);
}

/** Returns the columns as bytes of Arrow. */
export function writeArrow(columns: readonly SentColumn[], format: 'stream' | 'file'): Buffer {
  const schema = new arrow.Schema(columns.map(({ name, data }) => new arrow.Field(name, data.type, true)));
  const children = columns.map(({ data }) => data);
  const length = children[0]?.length ?? 0;
  const type = new arrow.Struct(schema.fields);
  const batch = new arrow.RecordBatch(schema, new arrow.Data(type, 0, length, 0, undefined, children));
  return Buffer.from(arrow.tableToIPC(new arrow.Table(schema, [batch]), format));
}
