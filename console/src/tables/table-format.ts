import { findDelimiter, findHeaderLine, findWidth, MAX_HEADER_LINE, MAX_LOOKED_AT } from 'roster-prediction/browser';
import { type Delimiter, parseCsv } from './csv.js';
import { TableFileError } from './table-file-error.js';

export interface TableFormat {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** True if the file begins with a byte order mark. */
  readonly hasMark: boolean;
  readonly delimiter: Delimiter;
  readonly newline: '\r\n' | '\n' | '\r';
  /** The line that has the names of the columns, from 1. The lines above it are passed over. */
  readonly headerLine: number;
}

/** Files that people take for tables, by their first bytes. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['%PDF', 'This is a PDF, not a table. Export the table itself as CSV.'],
  ['\xd0\xcf\x11\xe0', 'This is an old Excel workbook. Save it as .xlsx.'],
  ['\x1f\x8b', 'This file is compressed. Unpack it first.'],
];

const DELIMITERS: readonly [Delimiter, ...Delimiter[]] = [',', ';', '\t', '|'];

/** The beginning of a table, decoded. */
export interface TableText {
  readonly format: TableFormat;
  /** From the line of the header on. */
  readonly text: string;
  /** The first lines, of which one is the header. */
  readonly firstLines: readonly string[];
}

/**
 * Detects the format of a table from the beginning of its file, and decodes that beginning.
 * @param isWhole whether the bytes are the whole file
 * @param chosenLine the line of the header; without it, the first one that has as many names as most lines have fields
 * @throws TableFileError if the file is not text
 */
export function detectFormat(bytes: Uint8Array, isWhole: boolean, chosenLine?: number): TableText {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known) throw new TableFileError(known[1]);
  const encoding = detectEncoding(bytes, start);
  const text = new TextDecoder(encoding).decode(bytes, { stream: !isWhole });
  if (text.includes('\0')) {
    throw new TableFileError('This file is not text, so it holds no table. Choose a CSV file.');
  }
  const hasMark = start.startsWith('\xef\xbb\xbf') || encoding.startsWith('utf-16');
  const lineEnd = /\r\n?|\n/.exec(text)?.[0];
  const newline = lineEnd === '\r\n' || lineEnd === '\r' ? lineEnd : '\n';
  const below = (line: number) => skipLines(text, line - 1).text;
  const candidates = below(chosenLine ?? 1);
  const delimiter = findDelimiter(DELIMITERS, (each) => firstRecords(candidates, each));
  const { width } = findWidth(firstRecords(text, delimiter));
  const headerLine = chosenLine ?? findHeaderLine(readLines(text, delimiter), width) ?? 1;
  const format = { encoding, hasMark, delimiter, newline, headerLine } as const;
  const firstLines = text.split(/\r\n?|\n/, MAX_HEADER_LINE + 1).slice(0, -1);
  return { format, text: below(headerLine), firstLines };
}

/** Passes over lines, which need not be CSV: a quote in them opens nothing. Returns how many are left to pass. */
export function skipLines(text: string, lines: number): { text: string; left: number } {
  const ends = /\r\n?|\n/g;
  for (let left = lines; left > 0; left--) {
    if (!ends.test(text)) return { text: '', left };
    if (left === 1) return { text: text.slice(ends.lastIndex), left: 0 };
  }
  return { text, left: 0 };
}

function detectEncoding(bytes: Uint8Array, start: string): TableFormat['encoding'] {
  if (start.startsWith('\xff\xfe')) return 'utf-16le';
  if (start.startsWith('\xfe\xff')) return 'utf-16be';
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return 'utf-8';
  } catch {
    // Spreadsheets on Windows write it as plain "CSV"; it has a character for nearly every byte.
    return 'windows-1252';
  }
}

/** The first lines of a text, as they are wanted. */
function* readLines(text: string, delimiter: Delimiter) {
  let rest = text;
  for (let line = 1; line <= MAX_HEADER_LINE && rest !== ''; line++) {
    const [fields = []] = parseCsv(rest, delimiter, true, 1).records;
    yield { line, fields };
    rest = skipLines(rest, 1).text;
  }
}

function firstRecords(text: string, delimiter: Delimiter) {
  return parseCsv(text, delimiter, true, MAX_LOOKED_AT).records;
}
