import type { PredictionRow, Problem, RowWarnings } from 'roster-client';
import { readRows, type TableRecord } from '../tables/read-records.js';
import { TableFileError } from '../tables/table-file-error.js';
import type { CsvHead } from '../tables/table-head.js';
import { count, whole } from '../ui/format.js';

/** Some rows of a file. */
export interface Piece {
  readonly records: readonly TableRecord[];
  /** Their predictions, if the service has them already. */
  readonly answers?: readonly PredictionRow[];
  /** The share of the file up to its end; undefined if nobody knows. */
  readonly share: number | undefined;
}

const MAX_ROWS_AT_A_TIME = 2_000;
const MAX_CHARACTERS_AT_A_TIME = 1 << 20;

/** Divides the rows of a file into pieces of a size that one request can have. */
export async function* readPieces({ file, format, columns }: CsvHead): AsyncGenerator<Piece> {
  const width = columns.length;
  let begin = 0;
  let before = 0;
  for await (const { records: rows, share } of readRows(file, format)) {
    const long = rows.findIndex((row) => row.length > width && row.slice(width).some(Boolean));
    if (long >= 0) {
      throw new TableFileError(
        `Row ${whole(before + long + 1)} has ${count(rows[long]?.length ?? 0, 'field')}, the header has ${whole(width)}. Put a field that holds a separator in quotes.`,
      );
    }
    before += rows.length;
    for (let from = 0; from < rows.length; ) {
      const to = endOfPiece(rows, from);
      yield { records: rows.slice(from, to), share: begin + ((share - begin) * to) / rows.length };
      from = to;
    }
    begin = share;
  }
}

function endOfPiece(rows: readonly TableRecord[], from: number): number {
  let characters = 0;
  for (let to = from; to < rows.length; to++) {
    for (const cell of rows[to] ?? []) characters += cell.length;
    const isFull = to - from === MAX_ROWS_AT_A_TIME || characters > MAX_CHARACTERS_AT_A_TIME;
    if (isFull && to > from) return to;
  }
  return rows.length;
}

/** A line of an answer: a row, the early end, or the warnings of all rows. */
export type AnswerLine = PredictionRow | { readonly problem: Problem } | RowWarnings;

/** Reads the lines of an answer as they arrive. */
export async function* readLines(answer: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<AnswerLine[]> {
  const reader = answer.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const lines = (rest + next.value).split('\n');
    rest = lines.pop() ?? '';
    yield lines.map((line) => JSON.parse(line));
  }
}
