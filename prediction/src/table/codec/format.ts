import * as v from 'valibot';
import { MAX_TEXTS } from '../column.js';
import type { LeftOutRows } from '../rows-read.js';

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
  by_clock: v.exactOptional(v.literal(true)),
});

export const columnReadingSchema = v.variant('kind', [
  numberReadingSchema,
  dateReadingSchema,
  v.strictObject({ kind: v.literal('undecided'), reason: v.string() }),
]);

const wordsSchema = v.pipe(v.array(v.string()), v.readonly());

/** The words that count as missing in a table. */
export const listedWordsSchema = v.exactOptional(v.strictObject({ words: wordsSchema, target: wordsSchema }));

/** An encoded table is a list of pieces: its head, and then the cells and texts of one column after the other. */
export const FORMAT = 'roster-table/1';

/** In a piece of cells, the target in place of the index of a column: numbers, or indexes of classes. */
export const TARGET = -1;

/** The same for the column that chooses the rows which measure the model. */
export const VALIDATION = -2;

/** The same for the runs of the rows' places. */
export const PLACES = -3;

const placeSchema = v.union([
  v.strictObject({ line: v.pipe(v.number(), v.safeInteger()) }),
  v.strictObject({ row: v.pipe(v.number(), v.safeInteger()) }),
]);

/** Rows that are not used. */
export const leftOutSchema: v.GenericSchema<unknown, readonly LeftOutRows[]> = v.array(
  v.strictObject({
    cause: v.picklist(['no_target', 'dropped', 'repeated_moment']),
    rows: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    places: v.array(placeSchema),
    words: v.array(v.strictObject({ word: v.string(), rows: v.number() })),
  }),
);

const integerSchema = v.pipe(v.number(), v.safeInteger());
const countSchema = v.pipe(integerSchema, v.minValue(0));
const rowsSchema = v.pipe(integerSchema, v.minValue(1));

/** As `MomentForm`. */
export const momentFormSchema = v.union([
  v.picklist(['number', 'month', 'quarter', 'week', 'date', 'local']),
  v.pipe(v.number(), v.safeInteger()),
]);
export const missingCellsSchema = v.strictObject({
  words: wordsSchema,
  found: v.pipe(
    v.array(v.strictObject({ word: v.string(), rows: v.number(), place: v.nullable(placeSchema) })),
    v.readonly(),
  ),
  unread: v.nullable(
    v.strictObject({
      kind: v.picklist(['number', 'date']),
      rows: v.number(),
      present: v.number(),
      texts: v.pipe(
        v.array(v.strictObject({ text: v.string(), rows: v.number(), place: v.nullable(placeSchema) })),
        v.readonly(),
      ),
    }),
  ),
});

const missingSchema = v.exactOptional(missingCellsSchema);

const headSchema = v.object({
  format: v.literal(FORMAT),
  target: v.string(),
  rowCount: rowsSchema,
  /** Null where the target is a number. */
  classes: v.nullable(
    v.array(v.object({ name: v.string(), rows: rowsSchema, merged_count: countSchema, merged: v.array(v.string()) })),
  ),
  targetReading: v.optional(numberReadingSchema),
  unnamedColumns: v.optional(integerSchema),
  leftOut: v.exactOptional(leftOutSchema),
  places: v.exactOptional(v.object({ areLines: v.boolean(), length: countSchema })),
  validation: v.optional(
    v.variant('method', [
      v.object({ method: v.literal('last'), by: v.nullable(v.object({ column: v.string(), form: momentFormSchema })) }),
      v.object({ method: v.literal('group'), column: v.string() }),
    ]),
  ),
  missingWords: listedWordsSchema,
  columns: v.array(
    v.variant('kind', [
      v.object({
        kind: v.literal('text'),
        name: v.string(),
        textCount: v.pipe(countSchema, v.maxValue(MAX_TEXTS)),
        reading: v.optional(v.nullable(columnReadingSchema)),
        chosen: v.optional(v.picklist(['category', 'unused', 'index'])),
        missing: missingSchema,
      }),
      v.object({
        kind: v.picklist(['number', 'date']),
        name: v.string(),
        reading: v.optional(columnReadingSchema),
        chosen: v.optional(v.picklist(['number', 'date'])),
        missing: missingSchema,
      }),
    ]),
  ),
});

export type Head = v.InferOutput<typeof headSchema>;

export type Cells = Uint16Array | Float64Array;
export type Piece = Head | { column: number; texts: string[] } | { column: number; cells: Cells };

export const pieceSchema: v.GenericSchema<unknown, Piece> = v.union([
  headSchema,
  v.object({ column: integerSchema, texts: v.array(v.string()) }),
  v.object({ column: integerSchema, cells: v.union([v.instance(Uint16Array), v.instance(Float64Array)]) }),
]);

/** Cuts texts into pieces of about so many bytes. */
export function* cutTexts(texts: readonly string[], bytes: number): Generator<string[]> {
  let piece: string[] = [];
  let size = 0;
  for (const text of texts) {
    piece.push(text);
    size += text.length + 1;
    if (size < bytes) continue;
    yield piece;
    piece = [];
    size = 0;
  }
  if (piece.length > 0) yield piece;
}

const formatSchema = v.object({ format: v.string() });

/**
 * Refuses what a later release wrote, in words that say so; any other fault is left to the decoder.
 * @param head the head of a model or a table, as it was stored
 * @param format the format that this release reads, such as `roster-model/2`
 * @throws {Error} if the head has the same format with a higher number
 */
export function refuseLaterFormat(head: unknown, format: string): void {
  if (!v.is(formatSchema, head)) return;
  const [kind, number] = format.split('/');
  const [storedKind, storedNumber] = head.format.split('/');
  if (storedKind !== kind || !(Number(storedNumber) > Number(number))) return;
  throw new Error(`A later release of Roster wrote it, in the format ${head.format}; this one reads ${format}.`);
}
