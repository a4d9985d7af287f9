import { MEDIA_TYPES } from 'roster-client';
import { toPreview } from './preview.js';
import { requestPreview } from './request-preview.js';
import { TableFileError } from './table-file-error.js';
import { readBytes, readCsvHead, type TableHead, type TableType, type WorkbookPlace } from './table-head.js';

/** The formats other than CSV, by how their files begin. */
const SIGNATURES: readonly (readonly [string, TableType])[] = [
  ['PAR1', MEDIA_TYPES.parquet],
  ['ARROW1', MEDIA_TYPES['arrow-file']],
  ['\xff\xff\xff\xff', MEDIA_TYPES['arrow-stream']],
  ['PK\x03\x04', MEDIA_TYPES.xlsx],
  ['[', MEDIA_TYPES.json],
  ['{', MEDIA_TYPES.ndjson],
];

/** The bytes in which a file shows its format, behind blanks and a byte order mark. */
const SIGNATURE_BYTES = 100;

/**
 * Reads the beginning of a table in any format that the service reads. CSV is read here, other formats by the service.
 * @throws TableFileError if the file is not a table
 * @throws ProblemError or ConnectionError if the service cannot read it, or does not answer
 */
export async function readHead(project: string, file: File): Promise<TableHead> {
  const start = String.fromCharCode(...(await readBytes(file, 0, SIGNATURE_BYTES)));
  const signature = start.replace(/^(\xef\xbb\xbf)?\s*/, '');
  const type = SIGNATURES.find(([begin]) => signature.startsWith(begin))?.[1];
  return type === undefined ? readCsvHead(file) : askHead(project, file, type);
}

/**
 * Lets the service read the beginning of a table.
 * @throws TableFileError, ProblemError or ConnectionError, as `readHead` does
 */
export async function askHead(
  project: string,
  file: File,
  type: TableType,
  chosen: WorkbookPlace = {},
): Promise<TableHead> {
  const answer = await requestPreview(project, { file, type }, chosen);
  const { columns, rows, rows_read, fault, header_line, first_lines, sheet, sheets, isCut } = answer;
  if (fault !== null && !isCut && sheet === null) throw new TableFileError(fault);
  return {
    file,
    type,
    columns: columns.map(({ name }) => name),
    rows: rows.map((row) => row.map((cell) => cell ?? '')),
    isWhole: !isCut && rows.length === rows_read,
    preview: toPreview(answer),
    ...(sheet !== null && {
      workbook: {
        sheets,
        place: { sheet, header_line: header_line ?? chosen.header_line ?? 1 },
        firstLines: first_lines,
        fault,
      },
    }),
  };
}
