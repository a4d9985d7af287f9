import { z } from 'zod';
import { MOST_TEXTS } from './table.js';

/** An encoded table is a list of pieces: its head, and then the cells and texts of one column after the other. */
export const FORMAT = 'roster-table/2';

/** In a piece of cells, the target in place of the index of a column. */
export const TARGET = -1;

const headSchema = z.object({
  format: z.literal(FORMAT),
  target: z.string(),
  rowCount: z.int().positive(),
  columns: z.array(
    z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('text'),
        name: z.string(),
        textCount: z.int().min(0).max(MOST_TEXTS),
      }),
      z.object({ kind: z.enum(['number', 'date']), name: z.string() }),
    ]),
  ),
});

export const pieceSchema = z.union([
  headSchema,
  z.object({ column: z.int(), texts: z.array(z.string()) }),
  z.object({
    column: z.int(),
    cells: z.union([z.instanceof(Uint16Array), z.instanceof(Float64Array)]),
  }),
]);

export type Head = z.infer<typeof headSchema>;
export type Cells = Uint16Array | Float64Array;
export type Piece = Head | { column: number; texts: string[] } | { column: number; cells: Cells };
