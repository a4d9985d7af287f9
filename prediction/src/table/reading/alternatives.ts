import type { ColumnReading, ReadingMarks } from './column-reading.js';
import { createReader } from './create-reader.js';
import { DATE_ORDERS } from './date-order.js';
import { decideColumn } from './decide-column.js';

/** A meaning that the sender of an undecided column may state, and what it makes of one of the texts. */
export interface Alternative {
  readonly marks: Pick<ReadingMarks, 'decimal' | 'dateOrder'>;
  /** The first text that the alternatives read differently. */
  readonly text: string;
  /** Its value: a number, or a date of ISO 8601. */
  readonly becomes: string;
}

/** A parameter of a training that states a meaning. */
export interface MarkParameter {
  readonly parameter: 'decimal_point' | 'decimal_comma' | 'date_order';
  readonly value: string;
}

/** Returns the parameter that states a meaning for a column. */
export function toParameter({ decimal, dateOrder }: Alternative['marks'], column: string): MarkParameter {
  if (dateOrder !== undefined) return { parameter: 'date_order', value: dateOrder };
  return { parameter: decimal === ',' ? 'decimal_comma' : 'decimal_point', value: column };
}

const CANDIDATES: readonly Alternative['marks'][] = [
  { decimal: '.' },
  { decimal: ',' },
  ...DATE_ORDERS.map((dateOrder) => ({ dateOrder })),
];

/**
 * Finds the marks that decide how the texts of an undecided column are read; none where no mark does.
 *
 * @param texts of the column, each once, the first ones first.
 * @param marks that the sender has named.
 */
export function findAlternatives(texts: readonly string[], marks: ReadingMarks): Alternative[] {
  const counted = texts.map((text) => [text, 1] as const);
  const readers = CANDIDATES.flatMap((candidate) => {
    const reading = decideColumn(counted, { ...marks, ...candidate });
    const isDecided = reading !== null && reading.kind !== 'undecided' && isAbout(candidate, reading);
    return isDecided ? [{ candidate, kind: reading.kind, read: createReader(reading.kind, reading) }] : [];
  });
  const valuesOf = (text: string) => readers.map(({ read }) => read(text)).filter((value) => !Number.isNaN(value));
  const shown = texts.find((text) => new Set(valuesOf(text)).size === readers.length) ?? texts[0];
  if (shown === undefined) return [];
  return readers.flatMap(({ candidate, kind, read }) => {
    const value = read(shown);
    if (Number.isNaN(value)) return [];
    const becomes = kind === 'date' ? writeMoment(value) : String(value);
    return [{ marks: candidate, text: shown, becomes }];
  });
}

/** Returns whether a mark has decided a reading: an order of dates decides nothing about numbers. */
function isAbout({ decimal }: Alternative['marks'], { kind }: ColumnReading): boolean {
  return kind === (decimal === undefined ? 'date' : 'number');
}

/** Writes a moment as a day, and with its time only where it has one. */
function writeMoment(instant: number): string {
  return new Date(instant).toISOString().replace('T00:00:00.000Z', '');
}
