import writeXlsxFile from 'write-excel-file/browser';
import { withFormula } from './added-columns.js';
import type { ResultColumn, ResultRow } from './result-columns.js';

/** The widths of columns in a workbook, in characters. */
const [MIN_WIDTH, MAX_WIDTH] = [8, 40];

/** The most characters of a cell of a workbook. */
const MAX_CHARACTERS = 32_767;

/** A number without a unit. */
const PLAIN = /^[-+]?[\d.,\s'’]+$/;

/** The roles of columns that stand as the file has them. */
const ASIDE = new Set(['own', 'truth', 'input']);

/**
 * Writes rows as a workbook (.xlsx), with the columns in the order of the file. Numbers are numbers, unless they have
 * a unit, which a number would lose; texts that look like formulas stay texts. This file is loaded when it is needed.
 */
export function writeWorkbook(columns: readonly ResultColumn[], rows: readonly ResultRow[]): Promise<Blob> {
  const written = columns
    .filter(({ place }) => place !== undefined)
    .sort((one, other) => Number(one.place) - Number(other.place))
    .map((column) => ({ ...column, isNumber: column.isNumber && !isCode(column, rows) }));
  const head = written.map(({ name }) => ({ type: String, value: name, fontWeight: 'bold' as const }));
  const body = rows.map((row) =>
    written.map((column) => {
      const cell = row.cells[Number(column.place)] ?? '';
      if (cell === '') return null;
      const value = column.isNumber && PLAIN.test(cell) ? Number(column.valueOf(row)) : Number.NaN;
      if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return { type: Number, value };
      // A cell of a workbook is no formula if it is a text, without the apostrophe that says so in CSV.
      const text = ASIDE.has(column.role) ? cell : withFormula(cell);
      return { type: String, value: text.slice(0, MAX_CHARACTERS) };
    }),
  );
  return writeXlsxFile([head, ...body], {
    columns: written.map(({ name }) => ({ width: Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, name.length + 2)) })),
    stickyRowsCount: 1,
  }).toBlob();
}

/** Returns whether some digits of a column begin with zeros, as postal codes do, which numbers would lose. */
function isCode({ place }: ResultColumn, rows: readonly ResultRow[]): boolean {
  return rows.some(({ cells }) => /^0\d/.test(cells[Number(place)] ?? ''));
}
