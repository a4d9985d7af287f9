import { parseNumber } from './parse-number.js';

/** The number of first lines that are searched for the column names, and can be chosen as the header. */
export const MAX_HEADER_LINE = 20;

/** The most records that are read to find the number of columns. */
export const MAX_LOOKED_AT = 40;

/** A line of a file, or a row of a sheet, with its fields as texts; a field without a value is ''. */
export interface HeaderCandidate {
  /** From 1. */
  readonly line: number;
  readonly fields: readonly string[];
}

/** Returns the most frequent number of fields of the records, blank lines excepted, and how many records have it. */
export function findWidth(records: Iterable<readonly string[]>): { width: number; records: number } {
  const counts = new Map<number, number>();
  for (const fields of records) {
    if (fields.length <= 1 && (fields[0] ?? '').trim() === '') continue;
    counts.set(fields.length, (counts.get(fields.length) ?? 0) + 1);
  }
  const [[width, most] = [1, 0]] = [...counts].sort(
    ([width, one], [otherWidth, other]) => other - one || otherWidth - width,
  );
  return { width, records: most };
}

/**
 * Returns the delimiter that gives the most records the same number of fields; of equally good ones, the one with more
 * fields.
 *
 * @param parse returns the first records of the text, at most `MAX_LOOKED_AT`
 */
export function findDelimiter<D extends string>(
  delimiters: readonly [D, ...(readonly D[])],
  parse: (delimiter: D) => Iterable<readonly string[]>,
): D {
  const [first, ...others] = delimiters.map((delimiter) => {
    return { delimiter, ...findWidth(parse(delimiter)) };
  });
  return others.reduce((best, other) => {
    const isBetter = other.records > best.records || (other.records === best.records && other.width > best.width);
    return other.width > 1 && (best.width === 1 || isBetter) ? other : best;
  }, first ?? { delimiter: delimiters[0], width: 1, records: 0 }).delimiter;
}

/**
 * Returns the first line that has the usual number of fields, most of them with a name; undefined if there is none.
 * Below the first line, a number does not count as a name: otherwise a row would be taken if the header is shorter.
 *
 * @param candidates the first lines, at most `MAX_HEADER_LINE`
 * @param width the number of fields of most records
 * @param isRagged whether fields without a value are left out at the ends of lines, as in a sheet
 */
export function findHeaderLine(
  candidates: Iterable<HeaderCandidate>,
  width: number,
  isRagged = false,
): number | undefined {
  let isFirst = true;
  for (const { line, fields } of candidates) {
    const isName = (field: string) => field.trim() !== '' && (isFirst || Number.isNaN(parseNumber(field)));
    const isAsWide = isRagged ? fields.length >= width : fields.length === width;
    if (isAsWide && 2 * fields.filter(isName).length > fields.length) return line;
    isFirst = false;
  }
  return undefined;
}
