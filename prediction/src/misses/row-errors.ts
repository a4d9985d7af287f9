import { findUnit, toFinite } from '../intervals/target-range.js';
import { shortNumber } from '../model/summary.js';
import { isPassedOver, type TableColumn } from '../table/column.js';
import { baseColumn, contributionColumn } from '../table/column-names.js';
import { type ColumnSummary, countValues } from '../table/column-profile.js';
import type { Place } from '../table/reading/column-reading.js';
import type { RowPlaces } from '../table/rows-read.js';
import type { RowTable } from '../table/table.js';
import { readValues } from '../table/typical-row.js';
import { cutText } from '../text/cut-text.js';
import { ERROR_LEVEL, type HeldOutRows } from '../training/train-model.js';
import { findSlices, NO_SLICE, type Partition, type WeakSlice } from './find-slices.js';
import {
  type ErrorSlice,
  MAX_ERROR_COLUMNS,
  MAX_ERROR_ROWS,
  MAX_ERROR_TEXT,
  type ModelErrors,
  type RowError,
} from './model-errors.js';

/** Numbers and dates are parted at their deciles. */
const BINS = 10;

/** More distinct categories are in no slice but that of those without a value: each has few rows. */
const MAX_CODES = 1000;

/**
 * Finds the rows of a table that its model misses, and the values of columns where it errs most.
 *
 * @param summaries of the columns, in their order.
 * @param places of the rows of the table, where they are known.
 */
export function findRowErrors(
  table: RowTable,
  summaries: readonly ColumnSummary[],
  heldOut: HeldOutRows,
  places: RowPlaces | undefined,
): ModelErrors {
  const { rows } = heldOut;
  const errors = measureRows(table, heldOut);
  // Squares of large errors are beyond all doubles.
  const unit = findUnit(errors);
  const scaled = errors.map((error) => error / unit);
  const columns = chooseColumns(table, summaries);
  const worst = findLargest(errors, MAX_ERROR_ROWS);
  const worstRows = Uint32Array.from(worst, (index) => rows[index] ?? 0);
  const cells = columns.map((column) => showCells(column, worstRows));
  const used = columns.filter(({ summary }) => summary.used);
  const reasons = explainRows(columns, heldOut, worst);
  const parted = used.map((column) => partByValue(column, rows));
  const mean = scaled.reduce((sum, error) => sum + error, 0) / rows.length;
  const error = toFinite(unit * mean);
  const measure = table.task === 'regression' ? 'absolute_error' : 'log_loss';
  return {
    measure,
    error,
    measured_rows: rows.length,
    confidence: ERROR_LEVEL,
    columns: columns.map(({ column }) => column.name),
    contributions: nameContributions(table.target, columns, heldOut),
    rows: worst.map((index, place): RowError => {
      return {
        ...showPlace(places?.at(rows[index] ?? 0)),
        step: null,
        values: cells.map((ofColumn) => ofColumn[place] ?? null),
        ...describeAnswer(table, heldOut, index),
        error: errors[index] ?? 0,
        contributions: reasons[place] ?? [],
      };
    }),
    slices: findSlices(scaled, parted).map((slice): ErrorSlice => {
      const { name, ranges } = parted[slice.partition] ?? NO_COLUMN;
      const of = { ...slice, error: toFinite(unit * slice.error) };
      return describeSlice(name, ranges[slice.slice] ?? NO_RANGE, of, error, WORDS[measure]);
    }),
  };
}

/** Returns the indexes of the largest values, the largest first, of equal ones the earlier first. */
function findLargest(values: Float64Array, most: number): number[] {
  const largest: number[] = [];
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? 0;
    if (largest.length === most && !(value > (values[largest.at(-1) ?? 0] ?? 0))) continue;
    if (largest.length === most) largest.pop();
    let place = largest.length;
    while (place > 0 && (values[largest[place - 1] ?? 0] ?? 0) < value) place--;
    largest.splice(place, 0, at);
  }
  return largest;
}

function showPlace(place: Place | undefined) {
  const none = { line: null, row: null };
  return place === undefined ? none : { ...none, ...place };
}

/** Returns the distance of each prediction from the truth, or its log loss. */
function measureRows(table: RowTable, { answers, losses, rows }: HeldOutRows): Float64Array {
  if (table.task === 'classification' || answers.task === 'classification') return losses;
  return Float64Array.from(rows, (row, index) => {
    const error = Math.abs((answers.predicted[index] ?? 0) - (table.targetValues[row] ?? 0));
    return Math.min(error, Number.MAX_VALUE);
  });
}

function describeAnswer(table: RowTable, { answers, rows }: HeldOutRows, index: number) {
  const row = rows[index] ?? 0;
  if (table.task === 'regression' && answers.task === 'regression') {
    return {
      truth: table.targetValues[row] ?? 0,
      predicted: answers.predicted[index] ?? 0,
      lower: answers.lower[index] ?? null,
      upper: answers.upper[index] ?? null,
      probability: null,
    };
  }
  if (table.task === 'classification' && answers.task === 'classification') {
    const nameOf = (index = 0) => table.classes[index]?.name ?? '';
    return {
      truth: nameOf(table.targetClasses[row]),
      predicted: nameOf(answers.predicted[index]),
      lower: null,
      upper: null,
      probability: answers.probability[index] ?? 0,
    };
  }
  throw new Error('The rows were answered by a model of another task');
}

/** Contributions have so many digits: their sum does not show the rounding. */
const DIGITS = 13;

/** Returns, for each of some answers, its base and what the shown columns add, of those that the model uses. */
function explainRows(columns: readonly ShownColumn[], { usedColumns, explain }: HeldOutRows, indexes: number[]) {
  const places = findPlaces(columns, usedColumns);
  return explain(indexes).map(({ base, added }) => {
    return [base, ...places.map((place) => added[place] ?? 0)].map((value) =>
      Number(toFinite(value).toPrecision(DIGITS)),
    );
  });
}

function nameContributions(target: string, columns: readonly ShownColumn[], { usedColumns }: HeldOutRows): string[] {
  const shown = columns.filter(({ index }) => usedColumns.includes(index));
  return [baseColumn(target), ...shown.map(({ column }) => contributionColumn(target, column.name))];
}

/** Returns the places of shown columns among those that the model uses. */
function findPlaces(columns: readonly ShownColumn[], usedColumns: readonly number[]): number[] {
  return columns.map(({ index }) => usedColumns.indexOf(index)).filter((place) => place >= 0);
}

interface ShownColumn {
  /** In the table. */
  readonly index: number;
  readonly column: TableColumn;
  readonly summary: ColumnSummary;
}

/** Returns the columns that matter most, in the order of the table; of columns that are left out, no cells are kept. */
function chooseColumns({ columns }: RowTable, summaries: readonly ColumnSummary[]): ShownColumn[] {
  const kept = columns.flatMap((column, index) => {
    const summary = summaries[index];
    const isEmpty = column.kind === 'text' && isPassedOver(column.chosen);
    return summary === undefined || isEmpty ? [] : [{ column, summary, index }];
  });
  const weigh = ({ used, importance }: ColumnSummary) => (used ? 1 : 0) + (importance?.gain ?? 0);
  return kept
    .sort((one, other) => weigh(other.summary) - weigh(one.summary) || one.index - other.index)
    .slice(0, MAX_ERROR_COLUMNS)
    .sort((one, other) => one.index - other.index);
}

function showCells({ column, summary }: ShownColumn, rows: Uint32Array): (string | number | null)[] {
  const { kind } = summary;
  return Array.from(readValues(column, summary, rows), (value, at) => {
    if (kind === 'category' || Number.isNaN(value)) return showText(column, rows[at] ?? 0);
    return showValue(kind, value);
  });
}

/** Returns the text of a cell; of one that is no number in a column of numbers, what stands there. */
function showText(column: TableColumn, row: number): string | null {
  if (column.kind !== 'text') return null;
  const text = column.texts[(column.codes[row] ?? 0) - 1];
  return text === undefined ? null : cutText(text, MAX_ERROR_TEXT);
}

function showValue(kind: 'number' | 'date', value: number): string | number {
  if (kind === 'number') return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE);
  const isDate = Math.abs(value) <= 8.64e15;
  return isDate ? new Date(value).toISOString() : value;
}

/** The values of a slice. */
interface Range {
  readonly value: string | null;
  readonly from: string | number | null;
  readonly to: string | number | null;
}

const NO_RANGE: Range = { value: null, from: null, to: null };

interface PartedColumn extends Partition {
  readonly name: string;
  /** For each slice its values. */
  readonly ranges: readonly Range[];
}

const NO_COLUMN: Pick<PartedColumn, 'name' | 'ranges'> = { name: '', ranges: [] };

/** Parts rows by the categories of a column, or by the deciles of its numbers; rows without a value are a slice. */
function partByValue({ column, summary }: ShownColumn, rows: Uint32Array): PartedColumn {
  const values = readValues(column, summary, rows);
  const { kind } = summary;
  const cuts = kind === 'category' ? commonestCodes(column, values) : findCuts(values);
  const ranges: Range[] = cuts.map((cut) => {
    if (kind !== 'category') return { value: null, from: showValue(kind, cut.from), to: showValue(kind, cut.to) };
    const text = column.kind === 'text' ? (column.texts[cut.from - 1] ?? '') : '';
    return { ...NO_RANGE, value: cutText(text, MAX_ERROR_TEXT) };
  });
  ranges.push(NO_RANGE);
  const codes = kind === 'category' ? slicesOfCodes(values, cuts) : slicesOfValues(values, cuts);
  return { name: column.name, codes, sliceCount: ranges.length, ranges };
}

interface Cut {
  readonly from: number;
  readonly to: number;
}

/** Returns the slice of each code of a text; the slice behind those of the cuts has missing cells. */
function slicesOfCodes(values: Float64Array, cuts: readonly Cut[]): Uint16Array {
  const sliceOf = new Map(cuts.map(({ from }, slice) => [from, slice]));
  return Uint16Array.from(values, (value) => (Number.isNaN(value) ? cuts.length : (sliceOf.get(value) ?? NO_SLICE)));
}

/** Returns the slice of each value, whose cuts are ascending; the slice behind them has missing cells. */
function slicesOfValues(values: Float64Array, cuts: readonly Cut[]): Uint16Array {
  const ends = Float64Array.from(cuts, ({ to }) => to);
  const slices = new Uint16Array(values.length);
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    let slice = 0;
    // No end is below a value that is missing.
    while (slice < ends.length && !(value <= (ends[slice] ?? 0))) slice++;
    slices[at] = slice;
  }
  return slices;
}

/** Returns the codes of the texts that are kept, the commonest first. */
function commonestCodes(column: TableColumn, codes: Float64Array): Cut[] {
  const known = column.kind === 'text' ? column.texts.length : 0;
  return countValues(codes)
    .filter(({ value }) => value <= known)
    .sort((one, other) => other.count - one.count)
    .slice(0, MAX_CODES)
    .map(({ value }) => ({ from: value, to: value }));
}

/** Parts values at their deciles; few distinct values each by itself. Equal values stay together. */
function findCuts(values: Float64Array): Cut[] {
  const counts = countValues(values);
  if (counts.length <= BINS) return counts.map(({ value }) => ({ from: value, to: value }));
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const cuts: Cut[] = [];
  let [from, seen] = [counts[0]?.value ?? 0, 0];
  for (const [index, { value, count }] of counts.entries()) {
    seen += count;
    const isLast = index === counts.length - 1;
    if (seen < ((cuts.length + 1) * total) / BINS && !isLast) continue;
    cuts.push({ from, to: value });
    from = counts[index + 1]?.value ?? value;
  }
  return cuts;
}

/** Words for the error of a slice and for that of all rows. */
export interface ErrorWords {
  readonly of: string;
  say(error: string): string;
}

const WORDS: Readonly<Record<'absolute_error' | 'log_loss', ErrorWords>> = {
  absolute_error: { of: 'rows', say: (error) => `the predictions are off by ${error} on average` },
  log_loss: { of: 'rows', say: (error) => `the log loss is ${error}` },
};

/** Describes a slice as callers see it. */
export function describeSlice(
  column: string,
  { value, from, to }: Range,
  { items, error, p }: Pick<WeakSlice, 'items' | 'error' | 'p'>,
  all: number,
  { of, say }: ErrorWords,
): ErrorSlice {
  const where = nameValues({ value, from, to });
  const rows = `${items.toLocaleString('en')} ${of}`;
  const message = `Where ${JSON.stringify(cutText(column, MAX_ERROR_TEXT))} ${where}, in ${rows}, ${say(shortNumber(error))}; in all ${of}, ${shortNumber(all)}.`;
  return { column, value, from, to, rows: items, error, p_value: p, message };
}

function nameValues({ value, from, to }: Range): string {
  if (value !== null) return `is ${JSON.stringify(value)}`;
  if (from === null) return 'has no value';
  const show = (end: string | number | null) => (typeof end === 'number' ? shortNumber(end) : (end ?? ''));
  return from === to ? `is ${show(from)}` : `is from ${show(from)} to ${show(to)}`;
}
