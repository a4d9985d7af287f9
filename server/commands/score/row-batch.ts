import type { DuckDBResult } from '@duckdb/node-api';
import {
  BatchBody,
  batchMessage,
  dictionaryMessage,
  endOfStream,
  type Field,
  schemaMessage,
} from 'roster-prediction/arrow';
import { INDEX, SentColumn, type SentType } from './sent-columns.js';

/** A column that a model reads, as it is sent. */
export interface RowColumn {
  readonly name: string;
  readonly type: SentType;
}

/** Rows of a table, with the columns that a model reads. */
export interface RowBatch {
  readonly rows: number;
  readonly columns: readonly SentColumn[];
}

/** The most rows of a request, and about the most bytes: it is sent again where no whole answer comes. */
const MAX_ROWS = 131_072;
const MAX_BYTES = 16 * 1024 * 1024;

/** The most rows that a chunk of DuckDB has. */
const CHUNK_ROWS = 2048;

/** The rows of a batch of Arrow; a multiple of 8. */
const ARROW_ROWS = 16_384;

/** Yields the rows of a query, in its order, as many as a request has. */
export async function* readBatches(result: DuckDBResult, columns: readonly RowColumn[]): AsyncGenerator<RowBatch> {
  // As many bytes for each of them would be sent for a table of short columns.
  const width = columns.reduce((bytes, { type }) => bytes + Math.max(type.width, 4), 0);
  const room = Math.max(CHUNK_ROWS, Math.min(MAX_ROWS, Math.floor(MAX_BYTES / width)));
  const begin = () => columns.map(({ type }) => new SentColumn(type, room));
  let batch = begin();
  let rows = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    const count = chunk?.rowCount ?? 0;
    if (chunk === null || count === 0) break;
    const texts = batch.reduce((bytes, column) => bytes + (column.texts?.byteLength ?? 0), 0);
    if (rows + count > room || texts > MAX_BYTES) {
      yield { rows, columns: batch };
      batch = begin();
      rows = 0;
    }
    for (const [place, column] of batch.entries()) column.add(chunk.getColumnVector(place), rows, count);
    rows += count;
  }
  if (rows > 0) yield { rows, columns: batch };
}

/** Returns rows as an Arrow stream. */
export function writeArrow(columns: readonly RowColumn[], { rows, columns: values }: RowBatch): Uint8Array {
  const fields = columns.map(({ name, type }, id): Field => {
    const dictionary = values[id]?.texts ? { id, indexType: INDEX } : null;
    return { name, type: type.arrow, children: [], dictionary };
  });
  const pieces = schemaMessage(fields);
  for (const [id, { texts }] of values.entries()) {
    if (texts === undefined) continue;
    const { bytes, offsets } = texts.texts;
    const body = new BatchBody();
    body.node(texts.count, 0);
    body.buffer(new Uint8Array());
    body.buffer(new Uint8Array(offsets.buffer, offsets.byteOffset, offsets.byteLength));
    body.buffer(bytes);
    pieces.push(...dictionaryMessage(id, texts.count, false, body));
  }
  for (let from = 0; from < rows; from += ARROW_ROWS) {
    const to = Math.min(rows, from + ARROW_ROWS);
    const body = new BatchBody();
    for (const column of values) column.write(body, from, to);
    pieces.push(...batchMessage(to - from, body));
  }
  pieces.push(endOfStream());
  return Buffer.concat(pieces);
}

/** Returns a batch without rows, whose answer has the columns of all answers. */
export function noRows(columns: readonly RowColumn[]): RowBatch {
  return { rows: 0, columns: columns.map(({ type }) => new SentColumn(type, 0)) };
}
