import { quote } from '../../table/table-error.js';
import { FormatError } from '../columns/format-error.js';
import type { TimeUnit } from '../columns/times.js';
import {
  type FlatField,
  type FlatFields,
  type FlatTable,
  int16,
  int32,
  int64,
  table,
  tables,
  text,
  uint8,
} from './flat-buffers.js';

/** A column of a schema. */
export interface Field {
  readonly name: string;
  readonly type: ArrowType;
  readonly children: readonly Field[];
  /** The dictionary of the values, of which the column has indices. */
  readonly dictionary: { readonly id: number; readonly indexType: ArrowType } | null;
}

/** The most fields of a schema, those within others among them: each has a name and costs memory. */
const MAX_FIELDS = 10_000;
const MAX_DEPTH = 32;

/**
 * Reads the table `Schema` of Schema.fbs.
 *
 * @throws {FormatError} if it has too many columns, or is none of this version of Arrow.
 * @throws {RangeError} if it points outside of its bytes.
 */
export function readSchema(schema: FlatTable): Field[] {
  if (schema.int16(0) !== 0) {
    throw new FormatError('The schema says that numbers are big-endian. Send little-endian Arrow.');
  }
  let left = MAX_FIELDS;
  const read = (field: FlatTable, depth: number): Field => {
    if (--left < 0 || depth > MAX_DEPTH) {
      const most = MAX_FIELDS.toLocaleString('en');
      throw new FormatError(
        `The schema has more than ${most} columns, or nests more than ${MAX_DEPTH} levels. Send only the columns of the model.`,
      );
    }
    const name = field.string(0);
    const type = readType(field.uint8(2), field.table(3));
    const dictionary = readDictionary(field.table(4));
    if (!isKnownType(type) || (dictionary && !isKnownType(dictionary.indexType))) {
      const shown = quote(name);
      throw new FormatError(`The column ${shown} has a type that Arrow 1.5 does not know. Send it as text.`);
    }
    const children = [...field.tables(5)].map((child) => read(child, depth + 1));
    return { name, type, children, dictionary };
  };
  return Array.from(schema.tables(1), (field) => read(field, 1));
}

function readDictionary(encoding: FlatTable | undefined): Field['dictionary'] {
  if (encoding === undefined) return null;
  const int = encoding.table(1);
  const indexType = int ? readType(TypeId.Int, int) : { id: TypeId.Int, params: [32, 1] };
  return { id: encoding.int64(0), indexType };
}

/** Returns the table `Schema` of some columns. */
export function schemaFields(fields: readonly Field[]): FlatFields {
  return [int16(0), tables(fields.map(fieldFields))];
}

function fieldFields({ name, type, children, dictionary }: Field): FlatFields {
  return [
    text(name),
    uint8(1),
    uint8(type.id),
    table(typeFields(type)),
    dictionary ? table([int64(dictionary.id), table(typeFields(dictionary.indexType)), undefined]) : undefined,
    tables(children.map(fieldFields)),
  ];
}

/** Metadata is written as version 5, in which all of Arrow 1.0 and later is. */
export const VERSION = int16(4);

/** The types of Arrow's columns, by their numbers in Schema.fbs. */
export const TypeId = {
  Null: 1,
  Int: 2,
  Float: 3,
  Binary: 4,
  Utf8: 5,
  Bool: 6,
  Decimal: 7,
  Date: 8,
  Time: 9,
  Timestamp: 10,
  Interval: 11,
  List: 12,
  Struct: 13,
  Union: 14,
  FixedBinary: 15,
  FixedList: 16,
  Map: 17,
  Duration: 18,
  LargeBinary: 19,
  LargeUtf8: 20,
  LargeList: 21,
  RunEndEncoded: 22,
  BinaryView: 23,
  Utf8View: 24,
  ListView: 25,
  LargeListView: 26,
} as const;

/** A type with its parameters, in the order of its table. */
export interface ArrowType {
  readonly id: number;
  readonly params: readonly (number | string)[];
}

type Slot = 'bool' | 'string' | { readonly int16: number } | { readonly int32: number };

/** The parameters of the types that have any, with what holds where they are left out. */
const SLOTS: Readonly<Record<number, readonly Slot[]>> = {
  [TypeId.Int]: [{ int32: 0 }, 'bool'],
  [TypeId.Float]: [{ int16: 0 }],
  [TypeId.Decimal]: [{ int32: 0 }, { int32: 0 }, { int32: 128 }],
  [TypeId.Date]: [{ int16: 1 }],
  [TypeId.Time]: [{ int16: 1 }, { int32: 32 }],
  [TypeId.Timestamp]: [{ int16: 0 }, 'string'],
  [TypeId.Interval]: [{ int16: 0 }],
  [TypeId.Union]: [{ int16: 0 }],
  [TypeId.FixedBinary]: [{ int32: 0 }],
  [TypeId.FixedList]: [{ int32: 0 }],
  [TypeId.Duration]: [{ int16: 1 }],
};

function readType(id: number, table: FlatTable | undefined): ArrowType {
  const params = (SLOTS[id] ?? []).map((slot, index) => {
    if (slot === 'bool') return table?.uint8(index) ?? 0;
    if (slot === 'string') return table?.string(index) ?? '';
    if ('int16' in slot) return table?.int16(index, slot.int16) ?? slot.int16;
    return table?.int32(index, slot.int32) ?? slot.int32;
  });
  return { id, params };
}

function typeFields({ id, params }: ArrowType): FlatFields {
  return (SLOTS[id] ?? []).map((slot, index): FlatField => {
    const value = params[index] ?? 0;
    // A timestamp without a zone has no text, which is not the same as an empty one.
    if (slot === 'string') return value === '' ? undefined : text(String(value));
    if (slot === 'bool') return uint8(Number(value));
    return 'int16' in slot ? int16(Number(value)) : int32(Number(value));
  });
}

export const FLOAT64: ArrowType = { id: TypeId.Float, params: [2] };
export const UTF8: ArrowType = { id: TypeId.Utf8, params: [] };
export const BOOL: ArrowType = { id: TypeId.Bool, params: [] };
export const INT32: ArrowType = { id: TypeId.Int, params: [32, 1] };
export const LIST: ArrowType = { id: TypeId.List, params: [] };

export function param(type: ArrowType, index: number): number {
  return Number(type.params[index] ?? 0);
}

const TIME_UNITS = ['second', 'millisecond', 'microsecond', 'nanosecond'] as const;

/** The unit of a time, a timestamp or a duration. */
export function timeUnit(type: ArrowType): TimeUnit {
  return TIME_UNITS[param(type, 0)] ?? 'second';
}

/** The bits of a value where all have as many; 0 for other types. */
export function bitWidth(type: ArrowType): number {
  switch (type.id) {
    case TypeId.Bool:
      return 1;
    case TypeId.Int:
      return param(type, 0);
    case TypeId.Float:
      return 16 << param(type, 0);
    case TypeId.Decimal:
      return param(type, 2);
    case TypeId.Date:
      return param(type, 0) === 0 ? 32 : 64;
    case TypeId.Time:
      return param(type, 1);
    case TypeId.Timestamp:
    case TypeId.Duration:
      return 64;
    case TypeId.Interval:
      return [32, 64, 128][param(type, 0)] ?? 0;
    case TypeId.FixedBinary:
      return 8 * param(type, 0);
    default:
      return 0;
  }
}

/** Widths that a type may have, so that no sender makes up others. */
const WIDTHS: Readonly<Record<number, readonly number[]>> = {
  [TypeId.Int]: [8, 16, 32, 64],
  [TypeId.Float]: [16, 32, 64],
  [TypeId.Decimal]: [32, 64, 128, 256],
  [TypeId.Time]: [32, 64],
};

/** Returns whether a type is one of Arrow's, with parameters that it may have. */
function isKnownType(type: ArrowType): boolean {
  const isListed = type.id >= TypeId.Null && type.id <= TypeId.LargeListView;
  if (type.id === TypeId.FixedBinary) return param(type, 0) >= 0 && param(type, 0) < 2 ** 24;
  const units = type.id === TypeId.Timestamp || type.id === TypeId.Time;
  if (units && TIME_UNITS[param(type, 0)] === undefined) return false;
  return isListed && (WIDTHS[type.id]?.includes(bitWidth(type)) ?? true);
}

interface Views<T> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, start: number, length: number): T;
}

/** Returns the numbers of some bytes, which are copied only if they are not aligned. */
export function aligned<T>(bytes: Uint8Array, Type: Views<T>): T {
  const size = Type.BYTES_PER_ELEMENT;
  const of = bytes.byteOffset % size === 0 ? bytes : bytes.slice();
  return new Type(of.buffer, of.byteOffset, Math.floor(of.length / size));
}
