import { deserialize } from 'node:v8';
import { z } from 'zod';
import { MAX_TEXTS, type Table } from '../table.js';
import { GrowingCells, type GrowingColumn, growingColumn } from './column-assembler.js';
import { FORMAT, type Head, type Piece, TARGET } from './format.js';

const headSchema = z.object({
  format: z.literal(FORMAT),
  target: z.string(),
  rowCount: z.int().positive(),
  columns: z.array(
    z.discriminatedUnion('kind', [
      z.object({
        kind: z.literal('text'),
        name: z.string(),
        textCount: z.int().min(0).max(MAX_TEXTS),
      }),
      z.object({ kind: z.enum(['number', 'date']), name: z.string() }),
    ]),
  ),
});

const partSchema: z.ZodType<Piece[]> = z.array(
  z.union([
    headSchema,
    z.object({ column: z.int(), texts: z.array(z.string()) }),
    z.object({
      column: z.int(),
      cells: z.union([z.instanceof(Uint16Array), z.instanceof(Float64Array)]),
    }),
  ]),
);

/** Puts a table together from its parts, in their order, and holds it only once. */
export class TableDecoder {
  #table: GrowingTable | undefined;

  /** @throws {Error} if the bytes are not the next part of an encoded table. */
  add(part: Uint8Array): void {
    for (const piece of partSchema.parse(deserialize(part))) {
      if ('format' in piece) this.#table = new GrowingTable(piece);
      else if (this.#table === undefined) throw new Error('An encoded table begins with its head.');
      else this.#table.add(piece);
    }
  }

  /** @throws {Error} if parts are missing. */
  finish(): Table {
    if (this.#table === undefined) throw new Error('An encoded table has at least one part.');
    return this.#table.finish();
  }
}

class GrowingTable {
  readonly #head: Head;
  readonly #targetValues: GrowingCells<Float64Array>;
  readonly #columns: readonly GrowingColumn[];

  constructor(head: Head) {
    this.#head = head;
    this.#targetValues = new GrowingCells(new Float64Array(head.rowCount));
    this.#columns = head.columns.map((column) => growingColumn(column, head.rowCount));
  }

  add(piece: Exclude<Piece, Head>): void {
    if (piece.column === TARGET && 'cells' in piece) {
      this.#targetValues.add(piece.cells);
      return;
    }
    const column = this.#columns[piece.column];
    if (column === undefined) throw new Error(`An encoded table has no column ${piece.column}.`);
    if ('cells' in piece) column.addCells(piece.cells);
    else column.addTexts(piece.texts);
  }

  finish(): Table {
    const { target, rowCount } = this.#head;
    const targetValues = this.#targetValues.finish();
    return { target, rowCount, targetValues, columns: this.#columns.map((it) => it.finish()) };
  }
}
