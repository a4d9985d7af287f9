import type { TimeUnit } from '../columns/times.js';

/** An element of a schema as its footer has it: see SchemaElement of parquet.thrift. */
export interface SchemaElement {
  physical?: number;
  size?: number;
  repetition?: number;
  name: string;
  children: number;
  converted?: number;
  scale: number;
  logical: { kind: number; perSecond?: number; isSigned?: boolean } | undefined;
}

/** The physical types of parquet.thrift. */
export const Physical = {
  Boolean: 0,
  Int32: 1,
  Int64: 2,
  Int96: 3,
  Float: 4,
  Double: 5,
  Bytes: 6,
  FixedBytes: 7,
} as const;

/** No number has more. */
const MAX_FIXED_BYTES = 1024;

/** The meaning of a column's values. */
export type Meaning =
  | { readonly kind: 'number'; readonly isSigned: boolean }
  | { readonly kind: 'half' }
  | { readonly kind: 'decimal'; readonly scale: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text' }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'date' }
  | { readonly kind: 'moment'; readonly unit: TimeUnit }
  | { readonly kind: 'clock'; readonly unit: TimeUnit };

export interface LeafType {
  readonly physical: number;
  /** Bytes of a value; 0 where they differ. */
  readonly size: number;
  readonly meaning: Meaning;
}

/** Numbers of `ConvertedType` and of `LogicalType` in parquet.thrift. */
const Converted = {
  Utf8: 0,
  Enum: 4,
  Decimal: 5,
  Date: 6,
  TimeMillis: 7,
  TimeMicros: 8,
  TimestampMillis: 9,
  TimestampMicros: 10,
  FirstUnsigned: 11,
  LastUnsigned: 14,
  Json: 19,
} as const;
const Logical = {
  String: 1,
  Enum: 4,
  Decimal: 5,
  Date: 6,
  Time: 7,
  Timestamp: 8,
  Integer: 10,
  Json: 12,
  Uuid: 14,
  Float16: 15,
} as const;

const UNITS: ReadonlyMap<number, TimeUnit> = new Map([
  [1e3, 'millisecond'],
  [1e6, 'microsecond'],
  [1e9, 'nanosecond'],
]);

const CONVERTED_INTEGERS: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [Converted.Date, { kind: 'date' }],
  [Converted.TimeMillis, { kind: 'clock', unit: 'millisecond' }],
  [Converted.TimeMicros, { kind: 'clock', unit: 'microsecond' }],
  [Converted.TimestampMillis, { kind: 'moment', unit: 'millisecond' }],
  [Converted.TimestampMicros, { kind: 'moment', unit: 'microsecond' }],
]);

/** Returns the type of a column; undefined, if it holds bytes that a model does not read. */
export function leafType(element: SchemaElement): LeafType | undefined {
  const { physical } = element;
  const meaning = findMeaning(element);
  if (physical === undefined || meaning === undefined) return undefined;
  const isMisplaced =
    (meaning.kind === 'moment' && physical === Physical.Int32) ||
    (meaning.kind === 'date' && physical !== Physical.Int32);
  if (isMisplaced) throw new RangeError('A type has another size than its values.');
  return { physical, size: findSize(physical, element.size ?? 0), meaning };
}

function findMeaning(element: SchemaElement): Meaning | undefined {
  switch (element.physical) {
    case Physical.Boolean:
      return { kind: 'boolean' };
    case Physical.Int32:
    case Physical.Int64:
      return integerMeaning(element);
    case Physical.Int96:
      return { kind: 'moment', unit: 'nanosecond' };
    case Physical.Float:
    case Physical.Double:
      return { kind: 'number', isSigned: true };
    case Physical.Bytes:
    case Physical.FixedBytes:
      return bytesMeaning(element);
    default:
      return undefined;
  }
}

function integerMeaning({ converted = -1, logical, scale }: SchemaElement): Meaning {
  const unit = UNITS.get(logical?.perSecond ?? 0);
  if (logical?.kind === Logical.Timestamp && unit) return { kind: 'moment', unit };
  if (logical?.kind === Logical.Time && unit) return { kind: 'clock', unit };
  if (logical?.kind === Logical.Integer) {
    return { kind: 'number', isSigned: logical.isSigned ?? true };
  }
  const earlier = CONVERTED_INTEGERS.get(converted);
  if (earlier !== undefined) return earlier;
  if (converted === Converted.Decimal || logical?.kind === Logical.Decimal) return { kind: 'decimal', scale };
  if (logical?.kind === Logical.Date) return { kind: 'date' };
  return { kind: 'number', isSigned: !(converted >= Converted.FirstUnsigned && converted <= Converted.LastUnsigned) };
}

function bytesMeaning({ physical, size, converted, logical, scale }: SchemaElement) {
  const is = (one: number, other: number) => converted === one || logical?.kind === other;
  if (is(Converted.Decimal, Logical.Decimal)) return { kind: 'decimal', scale } as const;
  if (is(Converted.Utf8, Logical.String) || is(Converted.Enum, Logical.Enum)) return TEXT;
  if (is(Converted.Json, Logical.Json)) return TEXT;
  if (logical?.kind === Logical.Uuid && size === 16) return { kind: 'uuid' } as const;
  if (logical?.kind === Logical.Float16 && size === 2) return { kind: 'half' } as const;
  // Older writers do not say that bytes are text.
  const isSilent = converted === undefined && logical === undefined;
  return isSilent && physical === Physical.Bytes ? TEXT : undefined;
}

const TEXT = { kind: 'text' } as const;

/** The bytes of a value, by physical type; 0 where they differ. */
const SIZES = [0, 4, 8, 12, 4, 8, 0];

function findSize(physical: number, fixed: number): number {
  if (physical !== Physical.FixedBytes) return SIZES[physical] ?? 0;
  if (!(fixed > 0 && fixed <= MAX_FIXED_BYTES)) throw new RangeError('A size is out of range.');
  return fixed;
}
