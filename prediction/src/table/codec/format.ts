import * as v from 'valibot';
import type { TextColumn, ValueColumn } from '../column.js';
import type { ColumnReading, NumberReading } from '../number-formats.js';
import type { TargetClass } from '../table.js';

/** The schema of numbers with a unit. */
export const numberReadingSchema = v.strictObject({
  kind: v.literal('number'),
  unit: v.string(),
  decimal: v.picklist(['.', ',']),
  group: v.nullable(v.picklist([',', '.', ' ', "'"])),
});

export const columnReadingSchema = v.variant('kind', [
  numberReadingSchema,
  v.strictObject({
    kind: v.literal('date'),
    order: v.picklist(['day-first', 'month-first']),
  }),
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
  columns: (
    | { kind: 'text'; name: string; textCount: number; chosen?: TextColumn['chosen'] | undefined }
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
