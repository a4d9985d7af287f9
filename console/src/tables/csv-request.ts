import type { TableFormat } from './table-format.js';

/** Returns the parameters by which the service reads CSV as it was shown. */
export function csvQuery(format: TableFormat | undefined) {
  if (format === undefined) return {};
  const { delimiter, headerLine } = format;
  return { delimiter: DELIMITERS[delimiter], ...(headerLine > 1 && { header_line: headerLine }) };
}

const DELIMITERS = { ',': 'comma', ';': 'semicolon', '\t': 'tab', '|': 'pipe' } as const;

/** Returns a text in UTF-8, which the service reads without a charset. */
export function toUtf8(table: Blob, encoding: TableFormat['encoding'] = 'utf-8'): Blob | Promise<Blob> {
  if (encoding === 'utf-8') return table;
  const text = table.stream().pipeThrough(new TextDecoderStream(encoding));
  return new Response(text.pipeThrough(new TextEncoderStream())).blob();
}
