import * as v from 'valibot';

/** The schema of numbers with a unit. */
export const numberReadingSchema = v.strictObject({
  kind: v.literal('number'),
  unit: v.string(),
  decimal: v.picklist(['.', ',']),
  group: v.nullable(v.picklist([',', '.', ' ', "'"])),
});

/** The schema of a `ColumnReading`. */
export const columnReadingSchema = v.variant('kind', [
  numberReadingSchema,
  v.strictObject({
    kind: v.literal('date'),
    order: v.picklist(['day-first', 'month-first']),
  }),
  v.strictObject({ kind: v.literal('undecided'), reason: v.string() }),
]);
