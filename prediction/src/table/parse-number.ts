/** No number that people or programs write is longer, and a text of megabytes costs time to look through. */
const MAX_NUMBER_LENGTH = 1000;

const PLAIN = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const DECIMAL_COMMA = /^[+-]?(?:\d+,\d*|,\d+)(?:e[+-]?\d+)?$/i;
/** 1,234.5 and 1,234,567: one comma alone is a decimal comma, and is matched before this. */
const COMMA_GROUPS = /^[+-]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/;
/** 1.234,5 and 1.234.567. */
const DOT_GROUPS = /^[+-]?\d{1,3}(?:\.\d{3})+(?:,\d*)?$/;

/**
 * Reads a number from the text of a cell; NaN if it is none. A comma alone is a decimal comma; of
 * two kinds of separators the last is the decimal one; several of one kind group thousands.
 * Numbers beyond the range of a double, as 1e400, are infinite.
 */
export function parseNumber(text: string): number {
  if (text.length > MAX_NUMBER_LENGTH) return Number.NaN;
  const plain = plainNumber(text);
  if (plain !== undefined) return plain;
  if (DECIMAL_COMMA.test(text)) return Number(text.replace(',', '.'));
  if (COMMA_GROUPS.test(text)) return Number(text.replaceAll(',', ''));
  if (DOT_GROUPS.test(text)) return Number(text.replaceAll('.', '').replace(',', '.'));
  if (text === 'Infinity' || text === '-Infinity') return Number(text);
  return Number.NaN;
}

/** Reads a number as programs write it; undefined, if the text has anything but digits, a sign, a point and an exponent. */
export function plainNumber(text: string): number | undefined {
  const short = shortNumber(text);
  if (short !== undefined) return short;
  return text.length <= MAX_NUMBER_LENGTH && PLAIN.test(text) ? Number(text) : undefined;
}

/** The most characters of a number whose digits, as an integer, are exact in a double. */
const MAX_SHORT_LENGTH = 15;
const TENS = Array.from({ length: MAX_SHORT_LENGTH }, (_, exponent) => 10 ** exponent);

/** Reads digits with at most one point among them, which most numbers are; undefined, if the text has anything else. */
function shortNumber(text: string): number | undefined {
  const { length } = text;
  if (length > MAX_SHORT_LENGTH) return undefined;
  let digits = 0;
  let decimals = -1;
  for (let at = 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 0x30;
    if (digit >= 0 && digit <= 9) {
      digits = 10 * digits + digit;
      if (decimals >= 0) decimals++;
    } else if (digit === POINT && decimals < 0 && at > 0) {
      decimals = 0;
    } else return undefined;
  }
  if (length === 0) return undefined;
  // A quotient of two exact doubles is rounded once, as the text is.
  return decimals > 0 ? digits / (TENS[decimals] ?? 1) : digits;
}

/** A point, as a digit. */
const POINT = 0x2e - 0x30;
