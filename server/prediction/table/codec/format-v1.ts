import { z } from 'zod';
import { ColumnBuilder } from '../column-builder.js';
import type { Table } from '../table.js';
import { TextMemory } from '../text-memory.js';

const columnSchema = z
  .object({ name: z.string(), texts: z.array(z.string()), codes: z.instanceof(Uint32Array) })
  .refine(({ texts, codes }) => codes.every((code) => code <= texts.length));

const tableSchema = z
  .object({
    format: z.literal('roster-table/1'),
    target: z.string(),
    rowCount: z.int().positive(),
    targetValues: z.instanceof(Float64Array),
    columns: z.array(columnSchema),
  })
  .refine(({ rowCount, targetValues, columns }) =>
    [targetValues, ...columns.map(({ codes }) => codes)].every(({ length }) => length === rowCount),
  );

/**
 * Reads a table as release 0.1.0 kept it, for a training that began there: whole, and with every
 * distinct text of a column.
 *
 * @throws {Error} if it is none.
 */
export function decodeFirstFormat(decoded: unknown): Table {
  const { target, rowCount, targetValues, columns } = tableSchema.parse(decoded);
  const memory = new TextMemory();
  const built = columns.map(({ name, texts, codes }) => {
    const builder = new ColumnBuilder(memory);
    for (const [row, code] of codes.entries()) builder.put(row, texts[code - 1]);
    return builder.take(name, rowCount);
  });
  return { target, rowCount, targetValues, columns: built };
}
