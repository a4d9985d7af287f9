import { parseCsv } from './csv.js';
import { TableFileError } from './table-file-error.js';

export interface TableFormat {
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  /** True if the file begins with a byte order mark. */
  readonly hasMark: boolean;
  readonly delimiter: string;
  readonly newline: '\r\n' | '\n' | '\r';
}

/** Files that people take for tables, by their first bytes. */
const SIGNATURES: readonly (readonly [string, string])[] = [
  ['%PDF', 'This is a PDF, not a table. Export the table itself as CSV.'],
  [
    'PK\x03\x04',
    'This is an Excel workbook or an archive. In Excel, save the sheet as “CSV UTF-8”.',
  ],
  ['\xd0\xcf\x11\xe0', 'This is an Excel workbook. In Excel, save the sheet as “CSV UTF-8”.'],
  ['\x1f\x8b', 'This file is compressed. Unpack it first.'],
];

const DELIMITERS = [',', ';', '\t', '|'];

/**
 * Detects the format of a table from the beginning of its file, and decodes that beginning.
 * @param isWhole whether the bytes are the whole file
 * @throws TableFileError if the file is not text
 */
export function detectFormat(bytes: Uint8Array, isWhole: boolean): [TableFormat, string] {
  const start = String.fromCharCode(...bytes.subarray(0, 4));
  const known = SIGNATURES.find(([signature]) => start.startsWith(signature));
  if (known) throw new TableFileError(known[1]);
  const encoding = encodingOf(bytes, start);
  const text = new TextDecoder(encoding).decode(bytes, { stream: !isWhole });
  if (text.includes('\0')) {
    throw new TableFileError('This file is not text, so it holds no table. Choose a CSV file.');
  }
  const hasMark = start.startsWith('\xef\xbb\xbf') || encoding.startsWith('utf-16');
  const lineEnd = /\r\n?|\n/.exec(text)?.[0];
  const newline = lineEnd === '\r\n' || lineEnd === '\r' ? lineEnd : '\n';
  return [{ encoding, hasMark, delimiter: widest(text), newline }, text];
}

function encodingOf(bytes: Uint8Array, start: string): TableFormat['encoding'] {
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

/** The delimiter that divides the header into the most columns. */
function widest(text: string): string {
  const begin = text.trimStart();
  const widths = DELIMITERS.map((delimiter) => {
    const { records } = parseCsv(begin, delimiter, true, 1);
    return { delimiter, width: records[0]?.length ?? 0 };
  });
  return widths.reduce((best, other) => (other.width > best.width ? other : best)).delimiter;
}
