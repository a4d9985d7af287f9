import { type FileFormat, type FileKind, formatOfMediaType, formatOfName, MEDIA_TYPES } from './file-format.js';

/** The contents of a file: a `File` or another Blob, a stream, or bytes such as a Buffer of Node. */
export type FileSource = Blob | ReadableStream<Uint8Array> | Uint8Array;

/** The format of a file, and how it is sent. */
export interface UploadOptions {
  /** Default: the format that the name shows, else the type of the Blob. */
  format?: FileFormat | undefined;
  /** A name whose extension shows the format, such as `rows.csv.gz`. Default: the name of the `File`. */
  name?: string | undefined;
  /** Compresses the file with gzip while it is sent. A file named `.gz` or `.zst` is sent as it is. */
  gzip?: boolean | undefined;
  /** CSV only: whether the first line has the names of the columns. */
  header?: boolean | undefined;
  /** Workbooks only: the name of the sheet. Default: the first one. */
  sheet?: string | undefined;
  /** CSV only: the separator of fields. Default: found in the first lines. */
  delimiter?: 'comma' | 'semicolon' | 'tab' | undefined;
  /** Cancels the request, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** A file as a request sends it: its body, and the headers that describe it. */
export interface Upload {
  readonly format: FileFormat;
  readonly body: Blob | ReadableStream<Uint8Array>;
  readonly headers: { readonly 'Content-Type': string; readonly 'Content-Encoding'?: string };
}

/**
 * Prepares a file for a request. A Blob or bytes stay a Blob, also when they are compressed: it can
 * be sent again, and browsers cannot send a stream over HTTP/1.1.
 *
 * @throws TypeError if the format is neither given nor shown by the name or the type of the file
 */
export async function prepareUpload(source: FileSource, options: UploadOptions): Promise<Upload> {
  const { format, encoding } = findKind(source, options);
  const body = source instanceof Uint8Array ? new Blob([new Uint8Array(source)]) : source;
  const isCompressed = encoding === undefined && options.gzip === true;
  const contentEncoding = isCompressed ? 'gzip' : encoding;
  return {
    format,
    body: isCompressed ? await compressed(body) : body,
    headers: { 'Content-Type': MEDIA_TYPES[format], ...(contentEncoding && { 'Content-Encoding': contentEncoding }) },
  };
}

/** Returns the query parameters of a CSV file or a workbook. */
export function formQuery({ header, delimiter, sheet }: UploadOptions) {
  return {
    ...(header !== undefined && { header }),
    ...(delimiter && { delimiter }),
    ...(sheet !== undefined && { sheet }),
  };
}

function findKind(source: FileSource, options: UploadOptions): FileKind {
  const name = options.name ?? (source instanceof File ? source.name : '');
  const named = formatOfName(name);
  const typed = source instanceof Blob ? formatOfMediaType(source.type) : undefined;
  const format = options.format ?? named?.format ?? typed;
  if (format === undefined) {
    throw new TypeError(
      `The format of ${name ? JSON.stringify(name) : 'the file'} is not known; give it as { format: 'csv' }`,
    );
  }
  return { format, ...(named?.encoding && { encoding: named.encoding }) };
}

async function compressed(body: Blob | ReadableStream<Uint8Array>): Promise<Blob | ReadableStream<Uint8Array>> {
  const gzipped = new Response(body).body?.pipeThrough(new CompressionStream('gzip'));
  return body instanceof ReadableStream && gzipped ? gzipped : new Response(gzipped ?? null).blob();
}
