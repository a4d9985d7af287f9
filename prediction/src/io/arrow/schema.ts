import { FormatError } from '../columns/format-error.js';
import { type FlatFields, int16, int64, table, tables, text, uint8 } from './flat-builder.js';
import type { FlatTable } from './flat-table.js';
import { type ArrowType, isKnownType, readType, TypeId, typeFields } from './types.js';

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
      const shown = JSON.stringify(name.slice(0, 60));
      throw new FormatError(
        `The column ${shown} has a type that Arrow 1.5 does not know. Send it as text.`,
      );
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
    dictionary
      ? table([int64(dictionary.id), table(typeFields(dictionary.indexType)), undefined])
      : undefined,
    tables(children.map(fieldFields)),
  ];
}

/** Metadata is written as version 5, in which all of Arrow 1.0 and later is. */
export const VERSION = int16(4);
