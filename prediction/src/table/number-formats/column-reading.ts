/** The reading of a column whose texts are neither plain numbers nor ISO dates. */
export type ColumnReading = NumberReading | DateReading | UndecidedReading;

/** Numbers with a unit, as in `€ 1,234.50` or `45 %`. The unit does not change the number: 45 % is 45. */
export interface NumberReading {
  readonly kind: 'number';
  /** The unit that every value bears, as written. */
  readonly unit: string;
  readonly decimal: '.' | ',';
  /** The separator of thousands; null if there is none. */
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
  /** A message that says what cannot be told, and how to write the values instead. */
  readonly reason: string;
}

export type Group = ',' | '.' | ' ' | "'";
