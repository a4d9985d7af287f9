import * as v from 'valibot';
import type { TextColumn, ValueColumn } from '../column.js';
import type { ColumnReading, NumberReading } from '../reading/column-reading.js';
import type { TargetClass } from '../table.js';

const deciderSchema = v.exactOptional(v.picklist(['values', 'parameters']));

export const numberReadingSchema = v.strictObject({
  kind: v.literal('number'),
  unit: v.nullable(v.string()),
  decimal: v.picklist(['.', ',']),
  group: v.nullable(v.picklist([',', '.', ' ', "'"])),
  decided_by: deciderSchema,
});

export const dateReadingSchema = v.strictObject({
  kind: v.literal('date'),
  order: v.picklist(['day-first', 'month-first', 'year-first', 'unambiguous', 'iso']),
  decided_by: deciderSchema,
});

export const columnReadingSchema = v.variant('kind', [
  numberReadingSchema,
  dateReadingSchema,
  v.strictObject({ kind: v.literal('undecided'), reason: v.string() }),
]);

/** An encoded table is a list of pieces: its head, and then the cells and texts of one column after the other. */
export const FORMAT = 'roster-table/1';

/** In a piece of cells, the target in place of the index of a column: numbers, or indexes of classes. */
export const TARGET = -1;

export interface Head {
  format: typeof FORMAT;
  target: string;
  rowCount: number;
  /** Null where the target is a number. */
  classes: TargetClass[] | null;
  targetReading?: NumberReading | undefined;
  unnamedColumns?: number | undefined;
  columns: (
    | {
        kind: 'text';
        name: string;
        textCount: number;
        reading?: ColumnReading | null | undefined;
        chosen?: TextColumn['chosen'] | undefined;
      }
    | {
        kind: 'number' | 'date';
        name: string;
        reading?: ColumnReading | undefined;
        chosen?: ValueColumn['chosen'] | undefined;
      }
  )[];
}

export type Cells = Uint16Array | Float64Array;
export type Piece = Head | { column: number; texts: string[] } | { column: number; cells: Cells };

const headSchema = v.object({ format: v.string() });

/**
 * Refuses what a later release wrote, in words that say so; any other fault is left to the decoder.
 * @param head the head of a model or a table, as it was stored
 * @param format the format that this release reads, such as `roster-model/2`
 * @throws {Error} if the head has the same format with a higher number
 */
export function refuseLaterFormat(head: unknown, format: string): void {
  if (!v.is(headSchema, head)) return;
  const [kind, number] = format.split('/');
  const [storedKind, storedNumber] = head.format.split('/');
  if (storedKind !== kind || !(Number(storedNumber) > Number(number))) return;
  throw new Error(`A later release of Roster wrote it, in the format ${head.format}; this one reads ${format}.`);
}
