import { serialize } from 'node:v8';
import type { EncodedPlaces, RowPlaces } from '../rows-read.js';
import type { RowTable, Table } from '../table.js';
import type { Validation } from '../validation.js';
import { type Cells, cutTexts, FORMAT, type Head, type Piece, PLACES, TARGET, VALIDATION } from './format.js';
import { type SeriesHead, type SeriesPiece, seriesPieces } from './series.js';

/** About how large a part is, and a piece of it, in bytes. */
const PART = 256 * 1024;
const PIECE = PART / 4;

/**
 * A table as bytes, for keeping until its model is trained: V8's structured clone, which holds
 * typed arrays and any string, and which later versions of Node read. It comes in parts, because
 * a caller that keeps one may do nothing else meanwhile.
 */
export function* encodeTable(table: Table, places?: RowPlaces): Generator<Uint8Array<ArrayBuffer>> {
  let part: (Piece | SeriesHead | SeriesPiece)[] = [];
  let size = 0;
  const pieces = table.task === 'forecast' ? seriesPieces(table, PIECE) : splitTable(table, places?.encode());
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

function* splitTable(table: RowTable, places: EncodedPlaces | undefined): Generator<Piece> {
  const { target, rowCount, columns, unnamedColumns, leftOut, missingWords, validation } = table;
  const isNumeric = table.task === 'regression';
  const classes = isNumeric ? null : [...table.classes];
  const heads = columns.map(({ name, ...column }): Head['columns'][number] => {
    if (column.kind === 'text') {
      const { kind, texts, reading, chosen, missing } = column;
      return { kind, name, textCount: texts.length, reading, ...(chosen && { chosen }), ...(missing && { missing }) };
    }
    const { kind, reading, chosen, missing } = column;
    return { kind, name, reading, ...(chosen && { chosen }), ...(missing && { missing }) };
  });
  const targetReading = isNumeric ? table.targetReading : undefined;
  const rest = {
    unnamedColumns,
    ...(leftOut && { leftOut }),
    ...(missingWords && { missingWords }),
    ...(places && { places: { areLines: places.areLines, length: places.runs.length } }),
    validation: validation && headOf(validation),
  };
  yield { format: FORMAT, target, rowCount, classes, targetReading, ...rest, columns: heads };
  yield* cellPieces(TARGET, isNumeric ? table.targetValues : table.targetClasses);
  for (const [index, column] of columns.entries()) {
    if (column.kind === 'text') {
      for (const texts of cutTexts(column.texts, PIECE)) yield { column: index, texts };
    }
    yield* cellPieces(index, column.kind === 'text' ? column.codes : column.values);
  }
  if (validation) yield* cellPieces(VALIDATION, cellsOf(validation));
  if (places) yield* cellPieces(PLACES, places.runs);
}

function headOf(validation: Validation): Head['validation'] {
  if (validation.method === 'group') return { method: 'group', column: validation.column };
  const { by } = validation;
  return { method: 'last', by: by && { column: by.column, form: by.form } };
}

function cellsOf(validation: Validation): Float64Array {
  return validation.method === 'group' ? validation.codes : (validation.by?.moments ?? new Float64Array());
}

function* cellPieces(column: number, cells: Cells): Generator<Piece> {
  const length = PIECE / cells.BYTES_PER_ELEMENT;
  for (let start = 0; start < cells.length; start += length) {
    yield { column, cells: cells.subarray(start, start + length) };
  }
}

function measurePiece(piece: Piece | SeriesHead | SeriesPiece): number {
  if ('cells' in piece) return piece.cells.byteLength;
  if ('numbers' in piece) return piece.numbers.byteLength;
  if ('texts' in piece) return piece.texts.reduce((sum, { length }) => sum + length, 0);
  return 0;
}
