import { type AnswerColumn, type AnswerLayout, FLAGS } from '../../serving/answer-layout.js';
import type { RowPiece, TextForm } from '../../serving/row-pieces.js';
import { createObjectText } from '../../serving/row-writer.js';
import { parseNumber } from '../../table/cells.js';

/** CSV (RFC 4180): a line for each row, with CRLF at its end. A list is an array of JSON. */
export const CSV_FORM: TextForm = {
  pieces: (layout) => [
    ...layout.columns.flatMap((column, index) => columnPieces(layout, column, index === 0 ? '' : ',')),
    { kind: 'literal', before: LINE_END },
  ],
  valueText,
  numberText: String,
  isCsv: true,
};

const LINE_END = '\r\n';

/** Returns the line with the names of the columns. */
export function csvHeader({ columns }: AnswerLayout): string {
  return columns.map(({ name }) => csvField(name)).join() + LINE_END;
}

/** @param before the text before the field. */
function columnPieces(layout: AnswerLayout, column: AnswerColumn, before: string): RowPiece[] {
  switch (column.kind) {
    case 'echo':
    case 'number':
      return [{ kind: column.kind, before, at: column.at }];
    case 'row-id':
      return [{ kind: 'row', before: before + column.prefix }];
    case 'flag':
      return [{ kind: 'choice', at: column.at, texts: FLAGS.map((flag) => before + valueText(flag)) }];
    case 'text':
      return [{ kind: 'choice', at: column.at, texts: column.texts.map((text) => before + csvField(text)) }];
    case 'list': {
      const texts = column.texts.map((text) => JSON.stringify(text).replaceAll('"', '""'));
      return [
        { kind: 'literal', before: `${before}"[` },
        { kind: 'list', at: column.at, texts },
        { kind: 'literal', before: ']"' },
      ];
    }
    case 'object':
      return [{ kind: 'made', before, make: createObjectText(layout, column.members) }];
    case 'warnings':
      return [{ kind: 'made', before, make: column.describe }];
    case 'null':
      return [{ kind: 'literal', before }];
  }
}

function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return csvField(value);
    case 'number':
      return Number.isFinite(value) ? String(value) : '';
    case 'boolean':
      return String(value);
    default:
      return typeof value === 'object' && value !== null ? csvField(JSON.stringify(value)) : '';
  }
}

/** The characters that spreadsheets take for the beginning of a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** Matches the texts that need quotes; blanks at their ends would be lost without. */
const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/;

/**
 * Returns a text as a field of CSV (RFC 4180). One that a spreadsheet would run as a formula begins with `'`.
 *
 * @param mayBeNumber whether a text that reads as a number stands for it; the names of groups do not
 */
export function csvField(text: string, mayBeNumber = true): string {
  const isFormula = FORMULA.test(text) && !(mayBeNumber && !Number.isNaN(parseNumber(text.trim())));
  const safe = isFormula ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
