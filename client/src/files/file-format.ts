/** The formats in which a table or rows can be sent. */
export type FileFormat = 'json' | 'ndjson' | 'csv' | 'arrow-stream' | 'arrow-file' | 'parquet' | 'xlsx';

/** The formats in which predictions can be answered: all but Parquet and workbooks. */
export type PredictionFormat = Exclude<FileFormat, 'parquet' | 'xlsx'>;

/** A format and a compression, which the name of a file shows. */
export interface FileKind {
  readonly format: FileFormat;
  /** The `Content-Encoding` of a file that is compressed already, such as `rows.csv.gz`. */
  readonly encoding?: 'gzip' | 'zstd';
}

/** The media type of each format. */
export const MEDIA_TYPES = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  csv: 'text/csv',
  'arrow-stream': 'application/vnd.apache.arrow.stream',
  'arrow-file': 'application/vnd.apache.arrow.file',
  parquet: 'application/vnd.apache.parquet',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
} as const satisfies Record<FileFormat, string>;

const EXTENSIONS: ReadonlyMap<string, FileFormat> = new Map([
  ['json', 'json'],
  ['ndjson', 'ndjson'],
  ['jsonl', 'ndjson'],
  ['csv', 'csv'],
  ['tsv', 'csv'],
  ['arrows', 'arrow-stream'],
  ['arrow', 'arrow-file'],
  ['feather', 'arrow-file'],
  ['ipc', 'arrow-file'],
  ['parquet', 'parquet'],
  ['xlsx', 'xlsx'],
]);

const ENCODINGS: ReadonlyMap<string, 'gzip' | 'zstd'> = new Map([
  ['gz', 'gzip'],
  ['zst', 'zstd'],
]);

/**
 * Returns the format that the extension of a name shows: `.csv`, `.tsv`, `.json`, `.ndjson`,
 * `.jsonl`, `.arrow`, `.feather`, `.ipc`, `.arrows`, `.parquet` or `.xlsx`, and after it `.gz` or `.zst`.
 * Returns undefined for other names.
 */
export function formatOfName(name: string): FileKind | undefined {
  const parts = name.toLowerCase().split('.');
  const encoding = ENCODINGS.get(parts.at(-1) ?? '');
  if (encoding) parts.pop();
  const format = EXTENSIONS.get((parts.length > 1 && parts.pop()) || '');
  return format && { format, ...(encoding && { encoding }) };
}

/** Returns the format with this media type, with or without parameters. */
export function formatOfMediaType(mediaType: string): FileFormat | undefined {
  const [type = ''] = mediaType.toLowerCase().split(';');
  const found = Object.entries(MEDIA_TYPES).find(([, known]) => known === type.trim());
  return found && isFormat(found[0]) ? found[0] : undefined;
}

function isFormat(name: string): name is FileFormat {
  return name in MEDIA_TYPES;
}
