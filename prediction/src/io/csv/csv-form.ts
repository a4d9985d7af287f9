import { type AnswerColumn, type AnswerLayout, FLAGS } from '../../rows/answer-layout.js';
import type { RowPiece, TextForm } from '../../rows/row-pieces.js';
import { createObjectText } from '../../rows/row-writer.js';
import { csvField } from './csv-field.js';

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
