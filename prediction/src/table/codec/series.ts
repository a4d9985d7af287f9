import * as v from 'valibot';
import type { HolidayDays } from '../holidays.js';
import type { ForecastTable } from '../series-table.js';
import { STEP_UNITS } from '../time-grid.js';
import {
  cutTexts,
  dateReadingSchema,
  leftOutSchema,
  listedWordsSchema,
  missingCellsSchema,
  momentFormSchema,
  numberReadingSchema,
} from './format.js';

/** The format of encoded tables of series. */
const SERIES_FORMAT = 'roster-series/1';

/** The arrays of a table of series, each with its pieces in their order. */
const ARRAYS = ['groupCodes', 'starts', 'ends', 'values'] as const;
type ArrayName = (typeof ARRAYS)[number];

type SeriesCells = Uint32Array | Int32Array | Float64Array;

/** A piece of an encoded table of series, behind its head. */
export type SeriesPiece =
  | { readonly array: ArrayName; readonly numbers: SeriesCells }
  | { readonly covariate: number; readonly numbers: SeriesCells }
  | { readonly group: number; readonly texts: string[] };

const indexSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const gridSchema = v.strictObject({
  form: momentFormSchema,
  step: v.strictObject({ unit: v.picklist(STEP_UNITS), count: v.pipe(v.number(), v.gtValue(0)) }),
  origin: v.number(),
  day: indexSchema,
  reading: v.exactOptional(v.union([numberReadingSchema, dateReadingSchema])),
});

export const holidaysSchema = v.strictObject({
  regions: v.array(v.string()),
  days: v.array(v.pipe(v.number(), v.safeInteger())),
  codes: v.array(indexSchema),
  names: v.array(v.string()),
});

const momentSchema = v.union([v.string(), v.number()]);

export const reportSchema = v.strictObject({
  series: indexSchema,
  first: momentSchema,
  last: momentSchema,
  gaps: indexSchema,
  longest_gap: indexSchema,
  duplicates: indexSchema,
  ended_early: indexSchema,
  shortest: indexSchema,
  longest: indexSchema,
});

/** The head of an encoded table of series; summaries of columns are checked where a model is read. */
export const seriesHeadSchema = v.object({
  format: v.literal(SERIES_FORMAT),
  target: v.string(),
  targetReading: v.optional(numberReadingSchema),
  rowCount: indexSchema,
  unnamedColumns: v.optional(indexSchema),
  leftOut: v.exactOptional(leftOutSchema),
  missingWords: listedWordsSchema,
  columnsMissing: v.exactOptional(v.array(missingCellsSchema)),
  goal: v.object({
    orderBy: v.string(),
    groupBy: v.array(v.string()),
    horizon: indexSchema,
    window: v.optional(indexSchema),
    known: v.array(v.string()),
    holidays: v.exactOptional(v.array(v.string())),
  }),
  grid: gridSchema,
  holidays: v.exactOptional(holidaysSchema),
  columns: v.custom<ForecastTable['columns']>(Array.isArray),
  covariates: v.array(v.object({ name: v.string(), isKnown: v.boolean() })),
  lengths: v.object({ groupCodes: indexSchema, starts: indexSchema, ends: indexSchema, values: indexSchema }),
  report: reportSchema,
});

export type SeriesHead = v.InferOutput<typeof seriesHeadSchema>;

export const seriesPieceSchema: v.GenericSchema<unknown, SeriesPiece> = v.union([
  v.object({
    array: v.picklist(ARRAYS),
    numbers: v.union([v.instance(Uint32Array), v.instance(Int32Array), v.instance(Float64Array)]),
  }),
  v.object({ covariate: indexSchema, numbers: v.instance(Float64Array) }),
  v.object({ group: indexSchema, texts: v.array(v.string()) }),
]);

/** @param pieceBytes how large a piece is. */
export function* seriesPieces(table: ForecastTable, pieceBytes: number): Generator<SeriesHead | SeriesPiece> {
  const { target, targetReading, rowCount, goal, grid, columns, covariates, report } = table;
  const { missingWords, columnsMissing } = table;
  const { holidays: regions, ...usual } = goal;
  yield {
    format: SERIES_FORMAT,
    target,
    ...(targetReading && { targetReading }),
    rowCount,
    unnamedColumns: table.unnamedColumns,
    ...(table.leftOut && { leftOut: table.leftOut }),
    ...(missingWords && { missingWords }),
    ...(columnsMissing && { columnsMissing: [...columnsMissing] }),
    goal: { ...usual, groupBy: [...goal.groupBy], known: [...goal.known], ...(regions && { holidays: [...regions] }) },
    grid,
    ...(table.holidays && { holidays: copyHolidays(table.holidays) }),
    columns,
    covariates: covariates.map(({ name, isKnown }) => ({ name, isKnown })),
    lengths: {
      groupCodes: table.groupCodes.length,
      starts: table.starts.length,
      ends: table.ends.length,
      values: table.values.length,
    },
    report,
  };
  for (const [group, texts] of table.groupTexts.entries()) {
    for (const piece of cutTexts(texts, pieceBytes)) yield { group, texts: piece };
  }
  for (const array of ARRAYS) {
    for (const numbers of cutCells(table[array], pieceBytes)) yield { array, numbers };
  }
  for (const [covariate, { values }] of covariates.entries()) {
    for (const numbers of cutCells(values, pieceBytes)) yield { covariate, numbers };
  }
}

function copyHolidays({ regions, days, codes, names }: HolidayDays) {
  return { regions: [...regions], days: [...days], codes: [...codes], names: [...names] };
}

function* cutCells(cells: SeriesCells, bytes: number): Generator<SeriesCells> {
  const length = bytes / cells.BYTES_PER_ELEMENT;
  for (let start = 0; start < cells.length; start += length) {
    yield cells.subarray(start, start + length);
  }
}

/** A table of series, while its pieces come in. */
export class GrowingSeries {
  readonly #head: SeriesHead;
  readonly #groupTexts: string[][];
  readonly #arrays: { groupCodes: Uint32Array; starts: Float64Array; ends: Uint32Array; values: Float64Array };
  readonly #covariates: readonly Float64Array[];
  readonly #filled = new Map<SeriesCells, number>();

  constructor(head: SeriesHead) {
    this.#head = head;
    const { lengths } = head;
    this.#groupTexts = head.goal.groupBy.map(() => []);
    this.#arrays = {
      groupCodes: new Uint32Array(lengths.groupCodes),
      // Tables that 0.2.0 has stored have them in 32 bits.
      starts: new Float64Array(lengths.starts),
      ends: new Uint32Array(lengths.ends),
      values: new Float64Array(lengths.values),
    };
    this.#covariates = head.covariates.map(() => new Float64Array(lengths.values));
  }

  /** @throws {Error} if the table cannot have the piece. */
  add(piece: SeriesPiece): void {
    if ('texts' in piece) {
      const texts = this.#groupTexts[piece.group];
      if (texts === undefined) throw new Error(`An encoded table has no group ${piece.group}.`);
      for (const text of piece.texts) texts.push(text);
      return;
    }
    const cells = 'array' in piece ? this.#arrays[piece.array] : this.#covariates[piece.covariate];
    if (cells === undefined) throw new Error('An encoded table has cells of no column.');
    const filled = this.#filled.get(cells) ?? 0;
    cells.set(piece.numbers, filled);
    this.#filled.set(cells, filled + piece.numbers.length);
  }

  /** @throws {Error} if cells are missing, or do not fit each other. */
  finish(): ForecastTable {
    for (const cells of [...Object.values(this.#arrays), ...this.#covariates]) {
      if ((this.#filled.get(cells) ?? 0) < cells.length) throw new Error('An encoded table lacks cells.');
    }
    const { target, targetReading, rowCount, goal, grid, columns, covariates, report } = this.#head;
    const { unnamedColumns, missingWords, columnsMissing } = this.#head;
    return {
      task: 'forecast',
      target,
      ...(targetReading && { targetReading }),
      rowCount,
      ...(unnamedColumns !== undefined && { unnamedColumns }),
      ...(missingWords && { missingWords }),
      ...(columnsMissing && { columnsMissing }),
      goal,
      grid,
      ...(this.#head.holidays && { holidays: this.#head.holidays }),
      groupTexts: this.#groupTexts,
      ...this.#arrays,
      columns,
      covariates: covariates.map((covariate, index) => ({
        ...covariate,
        values: this.#covariates[index] ?? new Float64Array(),
      })),
      report,
    };
  }
}
