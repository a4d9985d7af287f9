import { deserialize, serialize } from 'node:v8';
import { z } from 'zod';
import type { Table } from './table.js';

const FORMAT = 'roster-table/1';

const columnSchema = z
  .object({ name: z.string(), texts: z.array(z.string()), codes: z.instanceof(Uint32Array) })
  .refine(({ texts, codes }) => codes.every((code) => code <= texts.length));

const tableSchema = z
  .object({
    format: z.literal(FORMAT),
    target: z.string(),
    rowCount: z.int().positive(),
    targetValues: z.instanceof(Float64Array),
    columns: z.array(columnSchema),
  })
  .refine(({ rowCount, targetValues, columns }) =>
    [targetValues, ...columns.map(({ codes }) => codes)].every(({ length }) => length === rowCount),
  );

/**
 * A table as bytes, for keeping until its model is trained: V8's structured clone, which holds
 * typed arrays and any string, and which later versions of Node read.
 */
export function encodeTable(table: Table): Uint8Array {
  return serialize({ format: FORMAT, ...table });
}

/** @throws {Error} if the bytes are not an encoded table. */
export function decodeTable(bytes: Uint8Array): Table {
  const { format: _, ...table } = tableSchema.parse(deserialize(bytes));
  return table;
}
