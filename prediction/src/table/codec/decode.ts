import { deserialize } from 'node:v8';
import * as v from 'valibot';
import { isPassedOver, MAX_TEXTS, type TableColumn, type TextColumn, type ValueColumn } from '../column.js';
import type { Table } from '../table.js';
import {
  type Cells,
  columnReadingSchema,
  FORMAT,
  type Head,
  numberReadingSchema,
  type Piece,
  refuseLaterFormat,
  TARGET,
} from './format.js';
import { GrowingSeries, type SeriesHead, type SeriesPiece, seriesHeadSchema, seriesPieceSchema } from './series.js';

const integerSchema = v.pipe(v.number(), v.safeInteger());

const headSchema = v.object({
  format: v.literal(FORMAT),
  target: v.string(),
  rowCount: v.pipe(integerSchema, v.minValue(1)),
  classes: v.nullable(
    v.array(
      v.object({
        name: v.string(),
        rows: v.pipe(integerSchema, v.minValue(1)),
        merged_count: v.pipe(integerSchema, v.minValue(0)),
        merged: v.array(v.string()),
      }),
    ),
  ),
  targetReading: v.optional(numberReadingSchema),
  unnamedColumns: v.optional(integerSchema),
  columns: v.array(
    v.variant('kind', [
      v.object({
        kind: v.literal('text'),
        name: v.string(),
        textCount: v.pipe(integerSchema, v.minValue(0), v.maxValue(MAX_TEXTS)),
        reading: v.optional(v.nullable(columnReadingSchema)),
        chosen: v.optional(v.picklist(['category', 'unused', 'index'])),
      }),
      v.object({
        kind: v.picklist(['number', 'date']),
        name: v.string(),
        reading: v.optional(columnReadingSchema),
        chosen: v.optional(v.picklist(['number', 'date'])),
      }),
    ]),
  ),
});

const partSchema: v.GenericSchema<unknown, Piece[]> = v.array(
  v.union([
    headSchema,
    v.object({ column: integerSchema, texts: v.array(v.string()) }),
    v.object({ column: integerSchema, cells: v.union([v.instance(Uint16Array), v.instance(Float64Array)]) }),
  ]),
);

const seriesPartSchema: v.GenericSchema<unknown, (SeriesHead | SeriesPiece)[]> = v.array(
  v.union([seriesHeadSchema, seriesPieceSchema]),
);

function isSeriesHead(stored: unknown): boolean {
  if (!Array.isArray(stored)) return false;
  const head: unknown = stored[0];
  return (
    typeof head === 'object' && head !== null && 'format' in head && String(head.format).startsWith('roster-series/')
  );
}

/** Puts a table together from its parts, in their order, and holds it only once. */
export class TableDecoder {
  #table: GrowingTable | undefined;
  #series: GrowingSeries | undefined;

  /** @throws {Error} if the bytes are not the next part of an encoded table. */
  add(part: Uint8Array): void {
    const stored: unknown = deserialize(part);
    const isSeries = this.#series !== undefined || isSeriesHead(stored);
    if (isSeries) {
      this.#addSeries(stored);
      return;
    }
    if (Array.isArray(stored)) refuseLaterFormat(stored[0], FORMAT);
    for (const piece of v.parse(partSchema, stored)) {
      if ('format' in piece) this.#table = new GrowingTable(piece);
      else if (this.#table === undefined) throw new Error('An encoded table begins with its head.');
      else this.#table.add(piece);
    }
  }

  /** @throws {Error} if parts are missing. */
  finish(): Table {
    const table = this.#table ?? this.#series;
    if (table === undefined) throw new Error('An encoded table has at least one part.');
    return table.finish();
  }

  #addSeries(stored: unknown): void {
    for (const piece of v.parse(seriesPartSchema, stored)) {
      if ('format' in piece) this.#series = new GrowingSeries(piece);
      else this.#series?.add(piece);
    }
  }
}

class GrowingTable {
  readonly #head: Head;
  readonly #targetValues: GrowingCells<Float64Array>;
  readonly #targetClasses: GrowingCells<Uint16Array>;
  readonly #columns: readonly GrowingColumn[];

  constructor(head: Head) {
    this.#head = head;
    const isNumeric = head.classes === null;
    this.#targetValues = new GrowingCells(new Float64Array(isNumeric ? head.rowCount : 0));
    this.#targetClasses = new GrowingCells(new Uint16Array(isNumeric ? 0 : head.rowCount));
    this.#columns = head.columns.map((column) => growingColumn(column, head.rowCount));
  }

  add(piece: Exclude<Piece, Head>): void {
    if (piece.column === TARGET && 'cells' in piece) {
      const cells = this.#head.classes === null ? this.#targetValues : this.#targetClasses;
      cells.add(piece.cells);
      return;
    }
    const column = this.#columns[piece.column];
    if (column === undefined) throw new Error(`An encoded table has no column ${piece.column}.`);
    if ('cells' in piece) column.addCells(piece.cells);
    else column.addTexts(piece.texts);
  }

  finish(): Table {
    const { target, rowCount, classes, unnamedColumns } = this.#head;
    const common = {
      target,
      rowCount,
      columns: this.#columns.map((column) => column.finish()),
      ...(unnamedColumns !== undefined && { unnamedColumns }),
    };
    const targetValues = this.#targetValues.finish();
    const targetClasses = this.#targetClasses.finish();
    if (classes === null) {
      const { targetReading } = this.#head;
      const read = { ...common, targetValues };
      return { task: 'regression', ...read, ...(targetReading && { targetReading }) };
    }
    if (targetClasses.some((index) => index >= classes.length)) {
      throw new Error('An encoded table has a row of no class.');
    }
    return { task: 'classification', ...common, classes, targetClasses };
  }
}

/** An array of known length that is filled from its beginning. */
class GrowingCells<T extends Cells> {
  readonly #cells: T;
  #filled = 0;

  constructor(empty: T) {
    this.#cells = empty;
  }

  /** @throws {RangeError} if there are more than there is room for. */
  add(cells: Cells): void {
    this.#cells.set(cells, this.#filled);
    this.#filled += cells.length;
  }

  /** @throws {Error} if it is not full. */
  finish(): T {
    if (this.#filled < this.#cells.length) throw new Error('An encoded table lacks cells.');
    return this.#cells;
  }
}

/** A column of an encoded table, while its pieces come in. */
interface GrowingColumn {
  /** @throws {Error} if it cannot have them. */
  addCells(cells: Cells): void;
  /** @throws {Error} if it cannot have them. */
  addTexts(texts: readonly string[]): void;
  /** @throws {Error} if it is not whole. */
  finish(): TableColumn;
}

function growingColumn(head: Head['columns'][number], rowCount: number): GrowingColumn {
  return head.kind === 'text' ? new GrowingTexts(head, rowCount) : new GrowingValues(head, rowCount);
}

type TextHead = Extract<Head['columns'][number], { kind: 'text' }>;

class GrowingTexts implements GrowingColumn {
  readonly #head: TextHead;
  readonly #texts: string[] = [];
  readonly #codes: GrowingCells<Uint16Array>;

  constructor(head: TextHead, rowCount: number) {
    this.#head = head;
    this.#codes = new GrowingCells(new Uint16Array(isPassedOver(head.chosen) ? 0 : rowCount));
  }

  addCells(cells: Cells): void {
    this.#codes.add(cells);
  }

  addTexts(texts: readonly string[]): void {
    for (const text of texts) this.#texts.push(text);
  }

  finish(): TextColumn {
    const codes = this.#codes.finish();
    const { name, textCount, chosen, reading } = this.#head;
    const largest = textCount + 1;
    if (this.#texts.length !== textCount || codes.some((code) => code > largest)) {
      throw new Error('An encoded table has texts that do not fit its codes.');
    }
    return {
      kind: 'text',
      name,
      texts: this.#texts,
      codes,
      ...(reading !== undefined && { reading }),
      ...(chosen && { chosen }),
    };
  }
}

type ValueHead = Extract<Head['columns'][number], { kind: ValueColumn['kind'] }>;

class GrowingValues implements GrowingColumn {
  readonly #head: ValueHead;
  readonly #values: GrowingCells<Float64Array>;

  constructor(head: ValueHead, rowCount: number) {
    this.#head = head;
    this.#values = new GrowingCells(new Float64Array(rowCount));
  }

  addCells(cells: Cells): void {
    this.#values.add(cells);
  }

  addTexts(): void {
    throw new Error('An encoded table has texts of a column of values.');
  }

  finish(): ValueColumn {
    const { kind, name, reading, chosen } = this.#head;
    const values = this.#values.finish();
    return { kind, name, values, ...(reading && { reading }), ...(chosen && { chosen }) };
  }
}
