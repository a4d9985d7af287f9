/** The reading of a column: the meaning that all of its texts share. */
export type ColumnReading = NumberReading | DateReading | UndecidedReading;

/** How numbers are written, with a unit or without one. The unit does not change the number: 45 % is 45. */
export interface NumberReading {
  readonly kind: 'number';
  /** The unit of every value, as written; null without one. */
  readonly unit: string | null;
  readonly decimal: DecimalMark;
  /** The separator of thousands; null if there is none. */
  readonly group: GroupMark | null;
  /** The source of the decision; absent in models of releases that read each cell by itself. */
  readonly decided_by?: Decider;
}

/**
 * Dates, in UTC where they have no offset. `day-first`, `month-first` and `year-first` say what numbers such as
 * `13/05/2025` mean; `unambiguous` dates have one meaning each, and those of `iso` are all of ISO 8601.
 */
export interface DateReading {
  readonly kind: 'date';
  readonly order: DateOrder | 'unambiguous' | 'iso';
  /** The source of the decision; absent in models of releases that read fewer forms. */
  readonly decided_by?: Decider;
  /** True if times are read as a clock showed them, whatever their offset from UTC: days whose offset changes. */
  readonly by_clock?: true;
}

/** Texts that have more than one meaning, and are read as categories. */
export interface UndecidedReading {
  readonly kind: 'undecided';
  /** A message with the ambiguity, and how to write the values instead. */
  readonly reason: string;
}

export type DecimalMark = '.' | ',';

export type GroupMark = ',' | '.' | ' ' | "'";

export type DateOrder = 'day-first' | 'month-first' | 'year-first';

/** The source of a decision: the values of the column, or parameters of the training. */
export type Decider = 'values' | 'parameters';

/** The marks and the order of the texts of a table that the sender has named. */
export interface ReadingMarks {
  readonly decimal?: DecimalMark | undefined;
  readonly group?: GroupMark | undefined;
  readonly dateOrder?: DateOrder | undefined;
  /** True where a program wrote the texts of numbers: a point with three digits behind it separates decimals. */
  readonly pointDecimals?: boolean | undefined;
}

/** The marks of a table, and those of some of its columns. */
export interface TableMarks extends ReadingMarks {
  /** Entries, not an object, because a column may be named `__proto__`. */
  readonly columns?: readonly (readonly [name: string, decimal: DecimalMark])[] | undefined;
  /** Words that count as missing in all columns, the target among them, beside the default ones. */
  readonly missing?: readonly string[] | undefined;
  /** The same for one column each, as `column=word`. */
  readonly missingIn?: readonly string[] | undefined;
}

/** Returns the marks of a column. Its decimal mark overrides the marks of the table. */
export function marksOf(
  { columns = [], decimal, group, dateOrder, pointDecimals }: TableMarks,
  name: string,
): ReadingMarks {
  const own = columns.find(([column]) => column === name)?.[1];
  const marks = { dateOrder, pointDecimals };
  return own === undefined ? { ...marks, decimal, group } : { ...marks, decimal: own };
}

/** The reading of numbers as programs write them. */
export const PLAIN_NUMBERS: NumberReading = {
  kind: 'number',
  unit: null,
  decimal: '.',
  group: null,
  decided_by: 'values',
};

/** The reading of dates of ISO 8601. */
export const ISO_DATES: DateReading = { kind: 'date', order: 'iso', decided_by: 'values' };

/** A reading as callers see it. */
export type ShownReading = NumberReading | ShownDates | UndecidedReading;

type ShownDates = DateReading & { readonly order: Exclude<DateReading['order'], 'iso'> };

/** Returns a reading as callers see it: null for plain numbers and for dates of ISO 8601. */
export function shownReading(reading: NumberReading | null): NumberReading | null;
export function shownReading(reading: ColumnReading | null): ShownReading | null;
export function shownReading(reading: ColumnReading | null): ShownReading | null {
  if (reading === null || reading.kind === 'undecided') return reading;
  if (reading.kind === 'date') {
    const { order, by_clock: _, ...dates } = reading;
    return order === 'iso' ? null : { ...dates, order };
  }
  const { unit, decimal, group, decided_by } = reading;
  const isPlain = unit === null && decimal === '.' && group === null && decided_by === 'values';
  return isPlain ? null : reading;
}

/** A text of a column, and the place of its row where that is known. */
export interface Example {
  readonly text: string;
  readonly place: Place | undefined;
}

/** The place of a row in the sender's own text. */
export type Place = { readonly line: number } | { readonly row: number };

/** Returns a text as a message names it, with its place. */
export function showExample({ text, place }: Example): string {
  const shown = JSON.stringify(text);
  if (place === undefined) return shown;
  return `${shown} in ${'line' in place ? `line ${place.line}` : `row ${place.row}`}`;
}
