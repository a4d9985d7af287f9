import { formatMoment, type MomentForm } from './moments.js';
import { quote, TableError } from './table-error.js';

/**
 * The rows that measure a model: the last ones, in the order of a column or of the table, or whole groups. Without a
 * choice, rows are drawn at random.
 */
export type ValidationChoice =
  | { readonly method: 'last'; readonly by?: string | undefined }
  | { readonly method: 'group'; readonly by: string };

/** A choice, with the values of its column. */
export type Validation = OrderedValidation | GroupedValidation;

export interface OrderedValidation {
  readonly method: 'last';
  /** The column, and the moment of each row in it; null for the order of the table. */
  readonly by: { readonly column: string; readonly form: MomentForm; readonly moments: Float64Array } | null;
}

export interface GroupedValidation {
  readonly method: 'group';
  readonly column: string;
  /** For each row the number of its group, from 1; 0 for a row without one, which is a group by itself. */
  readonly codes: Float64Array;
}

/** The description of a validation as callers see it. */
export interface ValidationSummary {
  readonly method: 'random' | 'last' | 'group';
  readonly column: string | null;
  /** The number or date from which rows measure the model. */
  readonly from: string | number | null;
  readonly groups: number | null;
  readonly ungrouped_rows: number | null;
}

/** Parts of a table that follow each other, as indexes of its rows in their order. */
export interface ConsecutiveParts {
  readonly train: Uint32Array;
  /** Decides the number of trees, and the model of errors. */
  readonly validation: Uint32Array;
  /** Calibrates and measures. */
  readonly test: Uint32Array;
}

const VALIDATION_SHARE = 0.15;
const TEST_SHARE = 0.2;

/** The last fifth of fewer rows could not calibrate an interval for 0.9 in halves. */
const MIN_ORDERED_ROWS = 100;

/** As many folds have at least one group each. */
const MIN_GROUPS = 5;

/** Refuses a table that cannot be parted. @throws {TableError} */
export function checkValidation(validation: Validation, rowCount: number): void {
  if (validation.method === 'last') partByOrder(validation, rowCount);
  else checkGroups(validation);
}

/**
 * Parts a table by the order of its rows: the last fifth, the 15 % before it, and all others. Rows of one moment stay
 * together, so that the parts may be larger.
 *
 * @throws {TableError} if there are too few rows, or too few moments to leave half of the rows before them.
 */
export function partByOrder({ by }: OrderedValidation, rowCount: number): ConsecutiveParts {
  if (rowCount < MIN_ORDERED_ROWS) {
    const message = `Only ${rowCount} rows have a target. validate=last takes at least ${MIN_ORDERED_ROWS}, so that enough of them follow those that are learnt from. Send more rows, or leave validate out.`;
    throw new TableError([{ message }]);
  }
  const order = Uint32Array.from({ length: rowCount }, (_, row) => row);
  const momentAt = (index: number) => by?.moments[order[index] ?? 0] ?? index;
  if (by) order.sort((one, other) => (by.moments[one] ?? 0) - (by.moments[other] ?? 0) || one - other);
  const firstOfMoment = (index: number) => {
    let first = index;
    while (first > 0 && momentAt(first - 1) === momentAt(index)) first--;
    return first;
  };
  const test = firstOfMoment(rowCount - Math.round(TEST_SHARE * rowCount));
  const validation = firstOfMoment(Math.max(test - Math.round(VALIDATION_SHARE * rowCount), 0));
  if (2 * validation < rowCount) throw tooFewMoments(by?.column ?? '');
  return { train: order.slice(0, validation), validation: order.slice(validation, test), test: order.slice(test) };
}

function tooFewMoments(column: string): TableError {
  const message = `The column ${quote(column)}, which validate_by names, has too few different values: rows with the same value stay together, and the last ones would leave less than half of the rows to learn from. Name a column with finer dates or numbers, or leave validate_by out if the rows are in order.`;
  return new TableError([{ message, column }]);
}

function checkGroups({ column, codes }: GroupedValidation): void {
  const { sizes } = numberGroups(codes);
  const largest = sizes.reduce((most, size) => Math.max(most, size), 0);
  const fail = (what: string, remedy: string): never => {
    const message = `The column ${quote(column)}, which validate_by names, has ${what}. ${remedy}`;
    throw new TableError([{ message, column }]);
  };
  if (sizes.length < MIN_GROUPS) {
    const count = sizes.length === 1 ? 'only one group' : `only ${sizes.length} groups`;
    fail(count, `At least ${MIN_GROUPS} are needed, to learn from some and to measure the error on the others.`);
  }
  if (2 * largest > codes.length) {
    const rows = `${largest.toLocaleString('en')} of ${codes.length.toLocaleString('en')} rows in one group`;
    fail(rows, 'At most half may be in one, since its rows are predicted from all others. Name another column.');
  }
}

/** Numbers the groups of rows from 0; each row without a group has a number to itself. */
function numberGroups(codes: Float64Array): { readonly groupOf: Uint32Array; readonly sizes: number[] } {
  const numbers = new Map<number, number>();
  const sizes: number[] = [];
  const groupOf = Uint32Array.from(codes, (code) => {
    let number = code === 0 ? undefined : numbers.get(code);
    if (number === undefined) {
      number = sizes.push(0) - 1;
      if (code !== 0) numbers.set(code, number);
    }
    sizes[number] = (sizes[number] ?? 0) + 1;
    return number;
  });
  return { groupOf, sizes };
}

/** Rows of a table, each group in one fold. */
export interface GroupFolds {
  /** For each row the index of its fold. */
  readonly foldOf: Uint8Array;
  /** For each fold the number of its groups. */
  readonly groups: readonly number[];
  /** All rows, those of a group one after the other. */
  readonly order: Uint32Array;
}

/**
 * Puts the groups into folds of about as many rows: each, from the largest on, into the fold that has the fewest.
 *
 * @param order all rows, in random order, which decides between groups of one size.
 */
export function foldGroups({ codes }: GroupedValidation, order: Uint32Array, folds: number): GroupFolds {
  const { groupOf, sizes } = numberGroups(codes);
  const rankOf = new Float64Array(sizes.length).fill(Number.NaN);
  let rank = 0;
  for (const row of order) if (Number.isNaN(rankOf[groupOf[row] ?? 0])) rankOf[groupOf[row] ?? 0] = rank++;
  const ranked = Uint32Array.from(sizes, (_, group) => group).sort(
    (one, other) => (sizes[other] ?? 0) - (sizes[one] ?? 0) || (rankOf[one] ?? 0) - (rankOf[other] ?? 0),
  );
  const rows = new Array<number>(folds).fill(0);
  const groups = new Array<number>(folds).fill(0);
  const foldOfGroup = new Uint8Array(sizes.length);
  for (const group of ranked) {
    const fold = rows.indexOf(Math.min(...rows));
    foldOfGroup[group] = fold;
    rows[fold] = (rows[fold] ?? 0) + (sizes[group] ?? 0);
    groups[fold] = (groups[fold] ?? 0) + 1;
  }
  const places = new Uint32Array(order.length);
  for (const [place, row] of order.entries()) places[row] = place;
  return {
    foldOf: Uint8Array.from(groupOf, (group) => foldOfGroup[group] ?? 0),
    groups,
    order: order.toSorted((one, other) => {
      const [rankOfOne = 0, rankOfOther = 0] = [rankOf[groupOf[one] ?? 0], rankOf[groupOf[other] ?? 0]];
      return rankOfOne - rankOfOther || (places[one] ?? 0) - (places[other] ?? 0);
    }),
  };
}

/** Describes a validation as callers see it; without one, rows were drawn at random. */
export function summarizeValidation(validation: Validation | undefined, rowCount: number): ValidationSummary {
  const none = { column: null, from: null, groups: null, ungrouped_rows: null };
  if (validation === undefined) return { method: 'random', ...none };
  if (validation.method === 'group') {
    const { method, column, codes } = validation;
    const ungrouped_rows = codes.reduce((count, code) => count + Number(code === 0), 0);
    return { method, column, from: null, groups: numberGroups(codes).sizes.length - ungrouped_rows, ungrouped_rows };
  }
  const { method, by } = validation;
  if (by === null) return { method, ...none };
  const [first = 0] = partByOrder(validation, rowCount).test;
  return { method, ...none, column: by.column, from: formatMoment(by.form, by.moments[first] ?? 0) };
}
