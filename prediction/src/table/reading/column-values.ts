import { parseDate } from '../cells.js';
import { type Chunked, valuesByRow } from '../chunked-array.js';
import { PARSING_SHARE } from '../column.js';
import type { ColumnReading, DateOrder, Place } from './column-reading.js';
import { readDateText } from './date-forms.js';
import type { ColumnForm, ColumnKind } from './decide-column.js';
import { describeMixed } from './mixed-column.js';
import { readNumberText } from './number-forms.js';
import { type UnreadCells, UnreadTexts } from './unread-cells.js';

type Values = Chunked<Float64Array<ArrayBuffer>>;

/**
 * The cells of a column of numbers or dates, by row, with every value that each may mean. The meaning is decided after
 * the last cell. Has a further array for each meaning that occurs beside the first.
 */
export class ColumnValues {
  readonly kind: ColumnKind;
  readonly #form: ColumnForm;
  /** By row, the only meaning, or that with a decimal point, or that with the day first. */
  readonly #values: Values = valuesByRow();
  /** By row, the value of the text under another meaning: NaN where it has no other meaning. */
  readonly #others = new Map<',' | DateOrder, Values>();
  #present = 0;
  #unread = 0;
  readonly #unreadTexts = new UnreadTexts();
  #isMixed = false;

  /** @param form has the texts of the column so far. */
  constructor(kind: ColumnKind, form: ColumnForm) {
    this.kind = kind;
    this.#form = form;
  }

  /** Puts a number, or a date in milliseconds since 1970. */
  putValue(row: number, value: number): void {
    this.#present++;
    // Adding 0 turns −0 into 0, as its text would.
    this.#values.set(row, value + 0);
  }

  /**
   * @param text of a cell, which is evidence of what the column means.
   * @returns one of the values that it may mean; NaN if it is of another kind.
   */
  putText(row: number, text: string, place: Place | undefined): number {
    const value =
      this.kind.kind === 'number' ? this.#putNumber(row, text, this.kind.unit, place) : this.#putDate(row, text, place);
    this.#present++;
    if (Number.isNaN(value)) {
      this.#unread++;
      this.#unreadTexts.add(text, place ?? this.#form.placeOf(text));
    }
    return value;
  }

  #putNumber(row: number, text: string, unit: string | null, place: Place | undefined): number {
    const plain = this.#form.decimal === ',' ? undefined : this.#form.addPlain(unit, text, place);
    if (plain !== undefined) {
      this.#values.set(row, plain + 0);
      return plain;
    }
    const number = readNumberText(text);
    // A number without a unit is read beside those that have one.
    if (number === undefined || (number.unit !== unit && number.unit !== null)) return Number.NaN;
    this.#form.addNumber(number, text, place);
    const { values, either } = number;
    const { decimal } = this.#form;
    const isPoint = !Number.isNaN(values['.']);
    if (decimal !== ',') this.#values.set(row, values['.'] + 0);
    const isOther = decimal === undefined ? !isPoint || either !== null : decimal === ',';
    if (isOther) this.#setOther(',', row, values[',']);
    return isPoint ? values['.'] : values[','];
  }

  #putDate(row: number, text: string, place: Place | undefined): number {
    const iso = parseDate(text);
    if (!Number.isNaN(iso)) {
      this.#form.addIsoDate(text, place);
      this.#values.set(row, iso);
      return iso;
    }
    const date = readDateText(text);
    if (date === undefined) return Number.NaN;
    this.#form.addDate(date, text, place);
    const { value = Number.NaN, byOrder } = date;
    if (byOrder === undefined) {
      this.#values.set(row, value);
      return value;
    }
    let moment = Number.NaN;
    for (const order of ['day-first', 'month-first', 'year-first'] as const) {
      if (Number.isNaN(byOrder[order])) continue;
      moment = byOrder[order];
      this.#setOther(order, row, moment);
    }
    return moment;
  }

  #setOther(meaning: ',' | DateOrder, row: number, value: number): void {
    let values = this.#others.get(meaning);
    if (values === undefined) {
      values = valuesByRow();
      this.#others.set(meaning, values);
    }
    values.set(row, value);
  }

  /**
   * Decides what the cells mean.
   *
   * @param force true where texts of another kind, or that contradict the marks of the sender, count as missing.
   */
  decide(force = false): ColumnReading {
    const reading = this.#form.decide(this.kind, force);
    const isRead = this.#present - this.#unread >= PARSING_SHARE * this.#present;
    if (reading.kind === 'undecided' || force || isRead) return reading;
    this.#isMixed = true;
    return describeMixed(this.kind.kind, this.#unreadTexts.list(), { rows: this.#unread, present: this.#present });
  }

  /**
   * Returns the cells that are not read, or that keep the column from being read; null without any.
   *
   * @param values of all rows under the reading
   */
  listUnread(values: Float64Array, reading: ColumnReading): UnreadCells | null {
    // Where marks are undecided, all cells are read or none.
    if (reading.kind === 'undecided' && !this.#isMixed) return null;
    let read = 0;
    for (const value of values) if (!Number.isNaN(value)) read++;
    const rows = this.#present - read;
    if (rows <= 0) return null;
    return { kind: this.kind.kind, rows, present: this.#present, texts: this.#unreadTexts.list() };
  }

  /** Returns the values of all rows under a reading, and releases them. NaN is missing. */
  take(rowCount: number, reading: ColumnReading): Float64Array<ArrayBuffer> {
    const values = this.#values.take(rowCount);
    if (reading.kind === 'undecided') return values;
    const meaning = reading.kind === 'number' ? reading.decimal : reading.order;
    if (meaning === '.' || meaning === 'iso' || meaning === 'unambiguous') return values;
    const others = this.#others.get(meaning)?.take(rowCount);
    if (others === undefined) return values;
    for (let row = 0; row < rowCount; row++) {
      const other = others[row] ?? Number.NaN;
      if (!Number.isNaN(other)) values[row] = other + 0;
    }
    return values;
  }
}
