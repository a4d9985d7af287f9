/** How the texts of a column are read where they are neither plain numbers nor ISO dates. */
export type ColumnReading = NumberReading | DateReading | UndecidedReading;

/** Numbers with a unit, as in `€ 1,234.50` or `45 %`. The unit does not change the number: 45 % is 45. */
export interface NumberReading {
  readonly kind: 'number';
  /** The unit that every value bears, as written. */
  readonly unit: string;
  readonly decimal: '.' | ',';
  /** What groups thousands; null if nothing does. */
  readonly group: Group | null;
}

/** Dates of days, months and years in numbers, as in `13/05/2025`, in UTC. */
export interface DateReading {
  readonly kind: 'date';
  readonly order: 'day-first' | 'month-first';
}

/** Texts that have more than one meaning, and are read as categories. */
export interface UndecidedReading {
  readonly kind: 'undecided';
  /** What cannot be told, and how to write the values instead. */
  readonly reason: string;
}

export type Group = ',' | '.' | ' ' | "'";
