/** Matches the delimiter between the fields of a record. */
export type Delimiter = ',' | ';' | '\t' | '|';

/** A field without quotes, at an offset. */
const FIELDS: Readonly<Record<Delimiter, RegExp>> = {
  ',': /[^,\r\n]*/y,
  ';': /[^;\r\n]*/y,
  '\t': /[^\t\r\n]*/y,
  '|': /[^|\r\n]*/y,
};

/** Records of a text with their fields, and the end of the last one. */
interface Parsed {
  readonly records: string[][];
  readonly end: number;
}

/**
 * Parses the records of a delimited text, as RFC 4180 has it. Lines end with LF, CRLF or CR; a blank
 * one is a record with one empty field. A quote that closes no field stands for itself.
 * @param isLast whether no text follows; if one does, a record that may go on in it is left out
 * @param most the most records to parse
 */
export function parseCsv(text: string, delimiter: Delimiter, isLast: boolean, most = Infinity): Parsed {
  const records: string[][] = [];
  const field = FIELDS[delimiter];
  let end = 0;
  while (end < text.length && records.length < most) {
    const record: string[] = [];
    for (let at = end; ; at++) {
      const isQuoted = text[at] === '"';
      field.lastIndex = isQuoted ? closingQuote(text, at, delimiter) : at;
      field.test(text);
      const next = field.lastIndex;
      record.push(isQuoted ? unquote(text.slice(at, next)) : text.slice(at, next));
      at = next;
      if (text[at] === delimiter) continue;
      const isReturn = text[at] === '\r';
      const isCut = at >= text.length || (isReturn && at + 1 === text.length);
      if (isCut && !isLast) return { records, end };
      end = at + (isReturn && text[at + 1] === '\n' ? 2 : 1);
      break;
    }
    records.push(record);
  }
  return { records, end: Math.min(end, text.length) };
}

/** Returns whether a record is more than a blank line. */
export function isNotBlank(record: readonly string[]): boolean {
  return record.length > 1 || (record[0] ?? '').trim() !== '';
}

/** Returns the place behind the quote that closes a field, or the end of the text if none does. */
function closingQuote(text: string, start: number, delimiter: string): number {
  for (let at = start + 1; ; ) {
    at = text.indexOf('"', at) + 1;
    if (at === 0) return text.length;
    if (text[at] === '"') {
      at++;
      continue;
    }
    let next = at;
    while (text[next] === ' ') next++;
    if (next >= text.length || `${delimiter}\r\n`.includes(text[next] ?? '')) return at;
  }
}

function unquote(field: string): string {
  const inner = field.trimEnd().slice(1);
  return (inner.endsWith('"') ? inner.slice(0, -1) : inner).replaceAll('""', '"');
}

/** Writes records, each with the end of its line. */
export function writeCsv(
  records: readonly (readonly string[])[],
  { delimiter, newline }: { readonly delimiter: string; readonly newline: string },
): string {
  const write = (field: string) =>
    field.includes(delimiter) || /^[ \ufeff]|["\r\n]| $/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
  return records.map((record) => record.map(write).join(delimiter) + newline).join('');
}
