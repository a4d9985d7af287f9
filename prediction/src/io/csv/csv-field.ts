import { parseNumber } from '../../table/parse-number.js';

/** The characters that spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Matches the texts that need quotes; blanks at their ends would be lost without. */
const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/;

/**
 * Returns a text that no spreadsheet runs as a formula: one that it would begins with `'`.
 *
 * @param mayBeNumber whether a text that reads as a number stands for it; the names of groups do not
 */
export function withoutFormula(text: string, mayBeNumber = true): string {
  const isFormula = FORMULA.test(text) && !(mayBeNumber && !Number.isNaN(parseNumber(text.trim())));
  return isFormula ? `'${text}` : text;
}

/** Returns a text as a field of CSV (RFC 4180) that is not a formula. */
export function csvField(text: string, mayBeNumber = true): string {
  const safe = withoutFormula(text, mayBeNumber);
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
