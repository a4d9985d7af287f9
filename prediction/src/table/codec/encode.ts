import { serialize } from 'node:v8';
import type { RowTable, Table } from '../table.js';
import { type Cells, FORMAT, type Head, type Piece, TARGET } from './format.js';
import { type SeriesHead, type SeriesPiece, seriesPieces } from './series.js';

/** About how large a part is, and a piece of it, in bytes. */
const PART = 256 * 1024;
const PIECE = PART / 4;

/**
 * A table as bytes, for keeping until its model is trained: V8's structured clone, which holds
 * typed arrays and any string, and which later versions of Node read. It comes in parts, because
 * whoever keeps one may do nothing else meanwhile.
 */
export function* encodeTable(table: Table): Generator<Uint8Array<ArrayBuffer>> {
  let part: (Piece | SeriesHead | SeriesPiece)[] = [];
  let size = 0;
  const pieces = table.task === 'forecast' ? seriesPieces(table, PIECE) : splitTable(table);
  for (const piece of pieces) {
    part.push(piece);
    size += measurePiece(piece);
    if (size < PART) continue;
    yield serialize(part);
    part = [];
    size = 0;
  }
  if (part.length > 0) yield serialize(part);
}

function* splitTable(table: RowTable): Generator<Piece> {
  const { target, rowCount, columns, unnamedColumns } = table;
  const isNumeric = table.task === 'regression';
  const classes = isNumeric ? null : [...table.classes];
  const heads = columns.map((column): Head['columns'][number] =>
    column.kind === 'text'
      ? {
          kind: column.kind,
          name: column.name,
          textCount: column.texts.length,
          reading: column.reading,
          ...(column.chosen && { chosen: column.chosen }),
        }
      : {
          kind: column.kind,
          name: column.name,
          reading: column.reading,
          ...(column.chosen && { chosen: column.chosen }),
        },
  );
  const targetReading = isNumeric ? table.targetReading : undefined;
  yield { format: FORMAT, target, rowCount, classes, targetReading, unnamedColumns, columns: heads };
  yield* cellPieces(TARGET, isNumeric ? table.targetValues : table.targetClasses);
  for (const [index, column] of columns.entries()) {
    if (column.kind === 'text') yield* textPieces(index, column.texts);
    yield* cellPieces(index, column.kind === 'text' ? column.codes : column.values);
  }
}

function* cellPieces(column: number, cells: Cells): Generator<Piece> {
  const length = PIECE / cells.BYTES_PER_ELEMENT;
  for (let start = 0; start < cells.length; start += length) {
    yield { column, cells: cells.subarray(start, start + length) };
  }
}

function* textPieces(column: number, texts: readonly string[]): Generator<Piece> {
  let piece: string[] = [];
  let size = 0;
  for (const text of texts) {
    piece.push(text);
    size += text.length;
    if (size < PIECE) continue;
    yield { column, texts: piece };
    piece = [];
    size = 0;
  }
  yield { column, texts: piece };
}

function measurePiece(piece: Piece | SeriesHead | SeriesPiece): number {
  if ('cells' in piece) return piece.cells.byteLength;
  if ('numbers' in piece) return piece.numbers.byteLength;
  if ('texts' in piece) return piece.texts.reduce((sum, { length }) => sum + length, 0);
  return 0;
}
