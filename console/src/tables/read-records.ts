import { isNotBlank, parseCsv } from './csv.js';
import { TableFileError } from './table-file-error.js';
import { skipLines, type TableFormat } from './table-format.js';

/** The fields of a row. */
export type TableRecord = readonly string[];

/** Some records of a file, in order. */
export interface Batch {
  readonly records: readonly TableRecord[];
  /** The share of the file that has been read, from 0 to 1. */
  readonly share: number;
}

const BYTES_AT_A_TIME = 1 << 20;

/** The longest row to accept: a quote that is never closed makes one row of all that follow. */
const MAX_RECORD_CHARACTERS = 8 << 20;

/** Reads the records of a table, the header first. A blank line is a record. */
async function* readRecords(file: Blob, format: TableFormat): AsyncGenerator<Batch> {
  const { encoding, delimiter, headerLine } = format;
  const decoder = new TextDecoder(encoding, { fatal: true });
  let rest = '';
  let above = headerLine - 1;
  for (let start = 0; start < file.size; start += BYTES_AT_A_TIME) {
    const end = Math.min(start + BYTES_AT_A_TIME, file.size);
    const isLast = end === file.size;
    rest += decode(decoder, await readBytes(file.slice(start, end)), isLast);
    if (above > 0) {
      // The line end may be cut in two.
      if (!isLast && rest.endsWith('\r')) continue;
      ({ text: rest, left: above } = skipLines(rest, above));
    }
    const { records, end: parsed } = parseCsv(rest, delimiter, isLast);
    rest = rest.slice(parsed);
    if (rest.length > MAX_RECORD_CHARACTERS) {
      throw new TableFileError('A row of this file does not end: a quote (") is opened in it and never closed.');
    }
    yield { records, share: end / file.size };
  }
}

/**
 * Reads the rows of a table below its header, without blank lines, a part of the file at a time.
 * @throws TableFileError if the file cannot be read, or a quote is never closed
 */
export async function* readRows(file: Blob, format: TableFormat): AsyncGenerator<Batch> {
  let isHeaderRead = false;
  for await (const { records, share } of readRecords(file, format)) {
    const read = records.filter(isNotBlank);
    yield { records: isHeaderRead ? read : read.slice(1), share };
    isHeaderRead ||= read.length > 0;
  }
}

/** Parses the records at the beginning of a text. Blank lines are left out. */
export function parseRecords(text: string, { delimiter }: TableFormat, isWhole: boolean): TableRecord[] {
  return parseCsv(text, delimiter, isWhole).records.filter(isNotBlank);
}

function decode(decoder: TextDecoder, bytes: ArrayBuffer, isLast: boolean): string {
  try {
    return decoder.decode(bytes, { stream: !isLast });
  } catch {
    throw new TableFileError('This file is not UTF-8 text throughout. Save it as “CSV UTF-8”.');
  }
}

async function readBytes(blob: Blob): Promise<ArrayBuffer> {
  try {
    return await blob.arrayBuffer();
  } catch {
    throw new TableFileError('The file can no longer be read. It may have been changed or moved: choose it again.');
  }
}
