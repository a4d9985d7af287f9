import { deserialize } from 'node:v8';
import * as v from 'valibot';
import { isPassedOver, type TableColumn } from '../column.js';
import { RowPlaces } from '../rows-read.js';
import type { Table } from '../table.js';
import type { Validation } from '../validation.js';
import {
  type Cells,
  FORMAT,
  type Head,
  type Piece,
  PLACES,
  pieceSchema,
  refuseLaterFormat,
  TARGET,
  VALIDATION,
} from './format.js';
import { GrowingSeries, type SeriesHead, type SeriesPiece, seriesHeadSchema, seriesPieceSchema } from './series.js';

const partSchema = v.array(pieceSchema);
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

  /** The places of the rows of a table that is finished; undefined for series, and where an earlier release has stored it. */
  get places(): RowPlaces | undefined {
    return this.#table?.places;
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
  readonly #validation: GrowingCells<Float64Array>;
  readonly #places: GrowingCells<Float64Array>;

  constructor(head: Head) {
    this.#head = head;
    this.#places = new GrowingCells(new Float64Array(head.places?.length ?? 0));
    this.#validation = new GrowingCells(new Float64Array(hasCells(head.validation) ? head.rowCount : 0));
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
    if (piece.column === VALIDATION && 'cells' in piece) {
      this.#validation.add(piece.cells);
      return;
    }
    if (piece.column === PLACES && 'cells' in piece) {
      this.#places.add(piece.cells);
      return;
    }
    const column = this.#columns[piece.column];
    if (column === undefined) throw new Error(`An encoded table has no column ${piece.column}.`);
    if ('cells' in piece) column.cells.add(piece.cells);
    else column.addTexts(piece.texts);
  }

  get places(): RowPlaces | undefined {
    const { places, rowCount } = this.#head;
    return places && RowPlaces.decode({ areLines: places.areLines, rows: rowCount, runs: this.#places.finish() });
  }

  finish(): Table {
    const { target, rowCount, classes, unnamedColumns, leftOut, missingWords, validation } = this.#head;
    const common = {
      target,
      rowCount,
      columns: this.#columns.map((column) => column.finish()),
      ...(unnamedColumns !== undefined && { unnamedColumns }),
      ...(leftOut && { leftOut }),
      ...(validation && { validation: joinValidation(validation, this.#validation.finish()) }),
      ...(missingWords && { missingWords }),
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

/** Returns whether rows are chosen by the cells of a column. */
function hasCells(validation: Head['validation']): boolean {
  return validation?.method === 'group' || (validation?.by ?? null) !== null;
}

function joinValidation(head: NonNullable<Head['validation']>, cells: Float64Array): Validation {
  if (head.method === 'group') return { ...head, codes: cells };
  return { method: 'last', by: head.by && { ...head.by, moments: cells } };
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
  readonly cells: GrowingCells<Cells>;
  /** @throws {Error} if it cannot have them. */
  addTexts(texts: readonly string[]): void;
  /** @throws {Error} if it is not whole. */
  finish(): TableColumn;
}

function growingColumn(head: Head['columns'][number], rowCount: number): GrowingColumn {
  if (head.kind !== 'text') {
    const { kind, name, reading, chosen, missing } = head;
    const cells = new GrowingCells(new Float64Array(rowCount));
    return {
      cells,
      addTexts: () => {
        throw new Error('An encoded table has texts of a column of values.');
      },
      finish: () => ({
        kind,
        name,
        values: cells.finish(),
        ...(reading && { reading }),
        ...(chosen && { chosen }),
        ...(missing && { missing }),
      }),
    };
  }
  const { kind, name, textCount, reading, chosen, missing } = head;
  const texts: string[] = [];
  const cells = new GrowingCells(new Uint16Array(isPassedOver(chosen) ? 0 : rowCount));
  return {
    cells,
    addTexts: (more) => {
      for (const text of more) texts.push(text);
    },
    finish: () => {
      const codes = cells.finish();
      if (texts.length !== textCount || codes.some((code) => code > textCount + 1)) {
        throw new Error('An encoded table has texts that do not fit its codes.');
      }
      const read = { ...(reading !== undefined && { reading }), ...(chosen && { chosen }) };
      return { kind, name, texts, codes, ...read, ...(missing && { missing }) };
    },
  };
}
