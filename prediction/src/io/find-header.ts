import { cellText } from '../table/cells.js';
import {
  findDelimiter,
  findHeaderLine,
  findWidth,
  type HeaderCandidate,
  MAX_HEADER_LINE,
  MAX_LOOKED_AT,
} from '../table/header-line.js';
import type { TableForm } from './answer-part.js';
import { ByteBudget } from './columns/byte-budget.js';
import type { ByteFile } from './columns/byte-file.js';
import { FormatError } from './columns/format-error.js';
import type { Delimiter } from './csv/csv-dialect.js';
import { CsvScanner } from './csv/csv-scanner.js';
import { readRows, type SheetRow } from './xlsx/sheet.js';
import { readWorkbook } from './xlsx/workbook.js';
import { ZipArchive } from './xlsx/zip.js';

/** The first lines of a table, and the one among them that has the names of the columns. */
export interface FoundHeader {
  readonly firstLines: readonly HeaderCandidate[];
  /** Undefined if no line seems to have them. */
  readonly headerLine: number | undefined;
}

/** Those that the first lines are asked for. */
const DELIMITERS = [',', ';', '\t'] as const;

/** The most bytes of CSV that are searched. */
const MAX_BYTES = 64 * 1024;

const [LINE_FEED, CARRIAGE_RETURN] = [0x0a, 0x0d];

/**
 * Finds the line of CSV in UTF-8 that has the names.
 *
 * @returns the line, and all pieces of the text
 */
export async function findCsvHeader(
  pieces: AsyncIterable<Uint8Array>,
  { delimiter }: TableForm,
): Promise<FoundHeader & { readonly pieces: AsyncIterable<Uint8Array> }> {
  const iterator = pieces[Symbol.asyncIterator]();
  const taken: Uint8Array[] = [];
  let length = 0;
  let isEnded = false;
  while (length < MAX_BYTES && !isEnded) {
    const { done = false, value } = await iterator.next();
    isEnded = done;
    if (done) break;
    taken.push(value);
    length += value.length;
  }
  const begin = Buffer.concat(taken);
  const lastEnd = Math.max(begin.lastIndexOf(LINE_FEED), begin.lastIndexOf(CARRIAGE_RETURN));
  const text = begin.subarray(0, isEnded ? begin.length : lastEnd + 1);
  const parse = (each: Delimiter) => parseRecords(text, each, MAX_LOOKED_AT);
  const chosen = delimiter ?? findDelimiter(DELIMITERS, parse);
  const firstLines = readLines(text, chosen);
  const { width } = findWidth(parse(chosen));
  async function* replay() {
    yield begin;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  }
  return { firstLines, headerLine: findHeaderLine(firstLines, width), pieces: { [Symbol.asyncIterator]: replay } };
}

/** Returns the first lines, each with the fields of the record that begins on it. */
function readLines(text: Buffer, delimiter: Delimiter): HeaderCandidate[] {
  const lines: HeaderCandidate[] = [];
  for (let line = 1, at = 0; line <= MAX_HEADER_LINE && at < text.length; line++) {
    const [fields = []] = parseRecords(text.subarray(at), delimiter, 1);
    let end = at;
    while (end < text.length && text[end] !== LINE_FEED && text[end] !== CARRIAGE_RETURN) end++;
    const isPair = text[end] === CARRIAGE_RETURN && text[end + 1] === LINE_FEED;
    // The parser skips a blank line, and would return the record below it.
    lines.push({ line, fields: end === at ? [] : fields });
    at = end + (isPair ? 2 : 1);
  }
  return lines;
}

/** Returns the first records of a text, up to the first that is malformed. */
function parseRecords(text: Buffer, delimiter: Delimiter, most: number): string[][] {
  const records: string[][] = [];
  const scanner = new CsvScanner({ delimiter });
  try {
    for (const parts of [scanner.add(text), scanner.end()]) {
      for (const part of parts) {
        for (const { fields } of scanner.parse(part)) {
          if (records.push([...fields]) === most) return records;
        }
      }
    }
  } catch (error) {
    // A title need not be CSV.
    if (!(error instanceof FormatError)) throw error;
  }
  return records;
}

/** The most sheets that are searched for a table. */
const MAX_SHEETS = 10;

/**
 * Finds the row of a workbook that has the names and, if neither is chosen, the sheet: the first one that is not hidden
 * and has such a row with another below.
 *
 * @throws {FormatError} if the file is no workbook, or has no such sheet
 */
export async function findSheetHeader(
  file: ByteFile,
  { sheet, headerLine }: TableForm,
): Promise<FoundHeader & { readonly sheet: string }> {
  const budget = new ByteBudget();
  const zip = await ZipArchive.open(file, budget);
  const workbook = await readWorkbook(zip, budget, sheet);
  const others = sheet === undefined && headerLine === undefined ? workbook.others : [];
  let first: (FoundHeader & { readonly sheet: string }) | undefined;
  for (const candidate of [workbook, ...others.slice(0, MAX_SHEETS - 1)]) {
    const rows = await readFirstRows(readRows(zip, { ...workbook, ...candidate }, budget));
    const { width } = findWidth(rows.map(({ fields }) => fields));
    const firstLines = rows.slice(0, MAX_HEADER_LINE);
    const line = width > 1 && rows.length > 1 ? findHeaderLine(firstLines, width, true) : undefined;
    const found = { sheet: candidate.sheet, firstLines, headerLine: line };
    if (line !== undefined && line !== rows.at(-1)?.line) return found;
    first ??= found;
  }
  if (first === undefined) throw new Error('A workbook has a first sheet');
  return first;
}

/** Returns the first rows that have values, up to the first fault, which is reported where the rows are read. */
async function readFirstRows(read: AsyncIterable<readonly SheetRow[]>): Promise<HeaderCandidate[]> {
  const rows: HeaderCandidate[] = [];
  try {
    for await (const batch of read) {
      for (const { line, cells } of batch) {
        rows.push({ line, fields: Array.from(cells, (cell) => cellText(cell)) });
        if (rows.length === MAX_LOOKED_AT) return rows;
      }
    }
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
  }
  return rows;
}
