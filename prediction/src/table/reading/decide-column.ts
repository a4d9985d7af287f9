import { parseDate, plainNumber } from '../cells.js';
import { type ColumnUse, PARSING_SHARE } from '../column.js';
import type { ColumnReading, DecimalMark, Place, ReadingMarks, UndecidedReading } from './column-reading.js';
import { type DateText, readDateText } from './date-forms.js';
import { DateOrders } from './date-order.js';
import { isInfinite, type NumberText, readNumberText } from './number-forms.js';
import { chosenDecimal, NumberMarks } from './number-marks.js';

/** The most units that a column distinguishes; all values of a column of numbers have one. */
const MAX_UNITS = 8;

/** The kind of a column, before the meaning of its texts is decided: numbers with or without a unit, or dates. */
export type ColumnKind = { readonly kind: 'number'; readonly unit: string | null } | { readonly kind: 'date' };

/** A distinct text of a column, and the number of its rows. */
export type CountedText = readonly [text: string, rows: number];

/**
 * The evidence of what the texts of a column mean. Each text is added at its first occurrence, so that the decision
 * considers all rows, however few texts are kept.
 */
export class ColumnForm {
  readonly #marks: ReadingMarks;
  readonly #numbers = new Map<string | null, NumberMarks>();
  readonly #dates = new DateOrders();

  /** @param marks that the sender has named. */
  constructor(marks: ReadingMarks = {}) {
    this.#marks = marks;
  }

  /** @param place of the first row with the text. */
  add(text: string, place?: Place): void {
    if (this.addPlain(null, text, place) !== undefined) return;
    const { number, date } = readText(text);
    if (number) this.addNumber(number, text, place);
    if (date) this.addDate(date, text, place);
  }

  /**
   * Adds a number as programs write it, the most frequent form.
   *
   * @returns undefined, and adds nothing, if the text has another form or a point that may group.
   */
  addPlain(unit: string | null, text: string, place: Place | undefined): number | undefined {
    const value = plainNumber(text);
    if (value === undefined) return undefined;
    const marks = this.#marksOf(unit);
    if (marks?.showsPoint) return value;
    if (text.includes('.')) return undefined;
    marks?.addWhole(value, text, place);
    return value;
  }

  addNumber(number: NumberText, text: string, place: Place | undefined): void {
    this.#marksOf(number.unit)?.add(number, text, place);
  }

  /** Returns the marks of a unit; undefined if there are too many units. */
  #marksOf(unit: string | null): NumberMarks | undefined {
    const known = this.#numbers.get(unit);
    if (known !== undefined || this.#numbers.size === MAX_UNITS) return known;
    const marks = new NumberMarks();
    this.#numbers.set(unit, marks);
    return marks;
  }

  addDate(date: DateText, text: string, place: Place | undefined): void {
    this.#dates.add(date, text, place, !Number.isNaN(parseDate(text)));
  }

  /** The decimal mark that the sender has named. */
  get decimal(): DecimalMark | undefined {
    return chosenDecimal(this.#marks);
  }

  /**
   * Finds the kind of nearly all texts, or the chosen kind.
   *
   * @param texts of the column. All were added, but for numbers that came as such.
   * @returns null if there is no such kind, or the reason why texts that look like dates are not read as dates.
   */
  findKind(texts: Iterable<CountedText>, choice?: ColumnUse): ColumnKind | UndecidedReading | null {
    if (choice === 'date') return { kind: 'date' };
    const { units, dates, days, present } = countKinds(texts);
    const hasNearlyAll = (rows = 0) => rows > 0 && rows >= PARSING_SHARE * present;
    let best: string | null = null;
    for (const [unit, rows] of units) if (rows > (units.get(best) ?? 0)) best = unit;
    if (choice === 'number' || hasNearlyAll(units.get(best))) return { kind: 'number', unit: best };
    if (hasNearlyAll(days)) return { kind: 'date' };
    return hasNearlyAll(dates) ? this.#dates.describeWrong() : null;
  }

  /**
   * Decides how the texts of a kind are read.
   *
   * @param force true where texts that contradict the marks of the sender are missing values.
   */
  decide(kind: ColumnKind, force = false): ColumnReading {
    if (kind.kind === 'date') return this.#dates.decide(this.#marks, force);
    const marks = this.#numbers.get(kind.unit) ?? new NumberMarks();
    return marks.decide(kind.unit, this.#marks, force);
  }
}

/** Decides how the texts of a whole column are read; null where they are categories. */
export function decideColumn(texts: readonly CountedText[], marks?: ReadingMarks): ColumnReading | null {
  const form = new ColumnForm(marks);
  for (const [text] of texts) form.add(text);
  const kind = form.findKind(texts);
  return kind === null || kind.kind === 'undecided' ? kind : form.decide(kind);
}

function countKinds(texts: Iterable<CountedText>) {
  const units = new Map<string | null, number>();
  let [plain, dates, days, present] = [0, 0, 0, 0];
  for (const [text, rows] of texts) {
    present += rows;
    if (plainNumber(text) !== undefined) {
      plain += rows;
      continue;
    }
    const { number, date } = readText(text);
    if (number) units.set(number.unit, (units.get(number.unit) ?? 0) + rows);
    if (date) dates += rows;
    if (date && isDay(date)) days += rows;
  }
  if (plain > 0) units.set(null, (units.get(null) ?? 0) + plain);
  return { units, dates, days, present };
}

function readText(text: string): { readonly number?: NumberText; readonly date?: DateText } {
  if (!/\d/.test(text) && !isInfinite(text)) return {};
  const number = readNumberText(text);
  if (number !== undefined) return { number };
  const date = readDateText(text);
  return date === undefined ? {} : { date };
}

function isDay({ value, byOrder }: DateText): boolean {
  if (byOrder === undefined) return !Number.isNaN(value);
  return Object.values(byOrder).some((moment) => !Number.isNaN(moment));
}
