import type { Column } from 'roster-client';

/** The values of a row as they are typed, by column; an empty text is a missing value. */
export type Row = Readonly<Record<string, string>>;

/** A value as it is sent. */
export type Cell = string | number;

/** Returns the step of a slider: about a hundredth of the range, and whole if its ends are. */
export function chooseStep({ min, max }: Column): number {
  if (typeof min !== 'number' || typeof max !== 'number' || max <= min) return 1;
  const step = 10 ** Math.floor(Math.log10((max - min) / 50));
  return Number.isInteger(min) && Number.isInteger(max) ? Math.max(1, step) : step;
}

/** Returns whether a model has the values of a row that occur together; those of earlier versions do not. */
export const hasTypicalRow = (columns: readonly Column[]) => columns.some(({ typical }) => typical !== null);

/** Returns the row to begin with: a typical one of the table, or of older models the middle of each range. */
export function startRow(columns: readonly Column[]): Row {
  const startValue = hasTypicalRow(columns) ? typicalValue : middleValue;
  return Object.fromEntries(columns.map((column) => [column.name, startValue(column)]));
}

function typicalValue({ kind, typical }: Column): string {
  if (typical === null) return '';
  return kind === 'date' ? dateText(instant(typical)) : String(typical);
}

function middleValue(column: Column): string {
  const { kind, min, max, categories } = column;
  if (kind === 'category') return categories?.[0] ?? '';
  if (kind === 'date') return dateText((instant(min) + instant(max)) / 2);
  if (typeof min !== 'number' || typeof max !== 'number') return '';
  const step = chooseStep(column);
  return plainNumber(Math.floor((min + max) / 2 / step) * step);
}

/** Returns a row as it is sent: without missing values, numbers as numbers. */
export function pickCells(columns: readonly Column[], row: Row): Record<string, Cell> {
  return Object.fromEntries(
    columns.flatMap(({ name, kind }): [string, Cell][] => {
      const text = row[name] ?? '';
      if (text === '') return [];
      const value = Number(text);
      return [[name, kind === 'number' && Number.isFinite(value) ? value : text]];
    }),
  );
}

/** The number of points of a curve over numbers or dates. */
const POINTS = 25;

/** Returns values over the range of a column, or its commonest categories. */
export function valuesAlong({ kind, min, max, categories }: Column): Cell[] {
  if (kind === 'category') return (categories ?? []).slice(0, POINTS);
  const isDate = kind === 'date';
  const low = isDate ? instant(min) : Number(min);
  const high = isDate ? instant(max) : Number(max);
  const count = high > low ? POINTS : 1;
  const values = Array.from({ length: count }, (_, index) => low + ((high - low) * index) / (POINTS - 1));
  const cells = values.map((value) => (isDate ? dateText(value) : Number(plainNumber(value))));
  return [...new Set(cells)];
}

/** Returns the time of a date in milliseconds, and of a number the number. */
export function instant(value: string | number | null): number {
  return typeof value === 'number' ? value : new Date(value ?? 0).getTime();
}

/** Returns the day of a time as `YYYY-MM-DD`. */
export const dateText = (time: number) => (Number.isFinite(time) ? new Date(time).toISOString().slice(0, 10) : '');

/** Returns a number without the digits that only computing it has added. */
const plainNumber = (value: number) => String(Number(value.toPrecision(6)));
