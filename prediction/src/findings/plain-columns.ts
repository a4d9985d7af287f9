import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedColumn, LookedTable } from './looked-table.js';
import { showCount } from './words.js';

/** Finds columns that have the same value in every row. */
export function findConstantColumns(table: LookedTable): Finding[] {
  return table.columns
    .filter(isConstant(table))
    .map((column) => ({
      kind: 'constant_column',
      column: column.name,
      rows: table.rowCount,
      share: 1,
      places: [],
      message: `The column ${quote(column.name)} has the same value in ${table.isBeginning ? 'each of the first' : 'all'} ${showCount(table.rowCount)} rows.`,
      effect: 'Nothing can be learnt from it.',
      remedies: [{ parameter: 'exclude', value: column.name }],
    }));
}

function isConstant({ rows, rowCount }: LookedTable) {
  return ({ distinct, present, at }: LookedColumn): boolean => {
    if (distinct !== 1 || present < rows.length) return false;
    const first = at(0);
    for (let row = 1; row < rowCount; row++) if (at(row) !== first) return false;
    return true;
  };
}

/** A name that says that a column names or numbers its rows. */
const ID_NAME =
  /(?:^|[_\W])(?:id|idx|index|key|no|nr|row|rownames?|rownum|rowid|uuid|guid)$|^(?:id|index)(?:[_\W]|$)|[a-z]I[dD]$/i;

/**
 * Finds columns that name the rows. Numbers do if each is there once, counted up, or under a name such as `customer_id`;
 * texts if nearly all are different. A training says the latter itself (`unused_column`), of all of its rows.
 */
export function findIdentifiers(table: LookedTable): Finding[] {
  return [...findNumbers(table), ...(table.isBeginning ? findNames(table) : [])];
}

function findNames(table: LookedTable): Finding[] {
  return table.columns
    .filter(({ isIdentifier, present }) => isIdentifier && present >= MIN_ROWS)
    .map(({ name, present }) => ({
      kind: 'identifier_column',
      column: name,
      rows: present,
      share: present / table.rowCount,
      places: [],
      message: `The column ${quote(name)} seems to name the rows: nearly all of its ${showCount(present)} values in the first ${showCount(table.rowCount)} rows are different.`,
      effect: 'A model does not use a column whose values do not repeat.',
      remedies: [{ parameter: 'exclude', value: name }],
    }));
}

function findNumbers(table: LookedTable): Finding[] {
  return table.columns
    .filter((column) => !hasTimeName(column.name))
    .filter((column) => isRowNumber(table, column) || isNamedIdentifier(table, column))
    .map((column) => ({
      kind: 'identifier_column',
      column: column.name,
      rows: table.rowCount,
      share: 1,
      places: [],
      message: `The column ${quote(column.name)} seems to number the rows: its values are whole, and no two rows have the same.`,
      effect: 'A model can learn from it only how the rows were ordered, which says nothing about new rows.',
      remedies: [{ parameter: 'exclude', value: column.name }],
    }));
}

const TIME_NAME =
  /(?:^|[^a-z])(?:date|time|year|month|week|day|quarter|period|datum|zeit|jahr|monat|woche|tag)s?(?:[^a-z]|$)/i;

const MAX_NAME = 200;

/** Returns whether a name says that a column has moments, or counts them. */
export function hasTimeName(name: string): boolean {
  return TIME_NAME.test(name.slice(0, MAX_NAME));
}

/** A name of dates, not of times that may be durations. */
const DATE_NAME = /(?:^|[^a-z])(?:date|datum)s?(?:[^a-z]|$)/i;

/** Returns whether a name says that a column holds dates. */
export function hasDateName(name: string): boolean {
  return DATE_NAME.test(name.slice(0, MAX_NAME));
}

/** The years that a column of successive whole numbers may have; they are moments, not identifiers. */
const YEARS = [1500, 2200] as const;

const MIN_ROWS = 20;

/** Returns whether a column counts the rows: whole numbers in the order of the rows, nearly without gaps. */
export function isRowNumber(table: LookedTable, column: LookedColumn): boolean {
  const [first = 0, last = 0] = [column.sample[0], column.sample.at(-1)];
  const isYear = Math.min(first, last) >= YEARS[0] && Math.max(first, last) <= YEARS[1];
  return !isYear && Math.abs(last - first) <= 1.5 * table.rowCount && isSortKey(table, column);
}

/** Returns whether the rows are in the order of a column of whole numbers that are all different. */
export function isSortKey(table: LookedTable, column: LookedColumn): boolean {
  if (!isUniqueWhole(table, column)) return false;
  const { sample } = column;
  const direction = Math.sign((sample.at(-1) ?? 0) - (sample[0] ?? 0));
  return sample.every((value, at) => at === 0 || (value - (sample[at - 1] ?? 0)) * direction > 0);
}

function isNamedIdentifier(table: LookedTable, column: LookedColumn): boolean {
  return hasIdName(column.name) && isUniqueWhole(table, column);
}

/** Returns whether a name says that a column names its rows: its numbers are no amounts. */
export function hasIdName(name: string): boolean {
  return ID_NAME.test(name.slice(-MAX_NAME));
}

function isUniqueWhole({ rows }: LookedTable, { kind, sample, distinct }: LookedColumn): boolean {
  return kind === 'number' && rows.length >= MIN_ROWS && distinct === rows.length && sample.every(Number.isInteger);
}
