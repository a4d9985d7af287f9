import { parseDate } from '../cells.js';
import { type ColumnUse, PARSING_SHARE } from '../column.js';
import { plainNumber } from '../parse-number.js';
import type { ColumnReading, DecimalMark, Place, ReadingMarks, UndecidedReading } from './column-reading.js';
import { type DateText, readDateText } from './date-forms.js';
import { DateOrders } from './date-order.js';
import { describeMixed, hasFewOthers, MANY, MAX_MARKERS } from './mixed-column.js';
import { isInfinite, isKnownUnit, type NumberText, readNumberText } from './number-forms.js';
import { chosenDecimal, NumberMarks } from './number-marks.js';
import { UnreadTexts } from './unread-cells.js';

/** The most units that a column distinguishes; all values of a column of numbers have one. */
const MAX_UNITS = 8;

/** The kind of a column, before the meaning of its texts is decided: numbers with or without a unit, or dates. */
export type ColumnKind = { readonly kind: 'number'; readonly unit: string | null } | { readonly kind: 'date' };

/** The kind of most texts of a column that has too many others, and why it is not read so. */
export interface MixedKind {
  readonly kind: 'mixed';
  readonly most: ColumnKind;
  readonly reading: UndecidedReading;
  /** True if the others are numbers, too, with other units. */
  readonly isOfUnits: boolean;
}

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
  /** The first texts that are neither numbers nor dates. */
  readonly #others = new UnreadTexts();

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
    if (!number && !date) this.#others.add(text, place);
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

  addIsoDate(text: string, place: Place | undefined): void {
    this.#dates.addIso(text, place);
  }

  /** Returns the place of the first row with a text that is neither a number nor a date, of the first such texts. */
  placeOf(text: string): Place | undefined {
    return this.#others.placeOf(text);
  }

  /** The decimal mark that the sender has named. */
  get decimal(): DecimalMark | undefined {
    return chosenDecimal(this.#marks);
  }

  /**
   * Finds the kind of nearly all texts, or the chosen kind.
   *
   * @param texts of the column. All were added, but for numbers that came as such.
   * @returns null if there is no such kind; the reason why texts that look like dates are not read as dates; or the kind
   *   of most texts, where others are too many to be missing values without a word.
   */
  findKind(texts: Iterable<CountedText>, choice?: ColumnUse): ColumnKind | MixedKind | UndecidedReading | null {
    if (choice === 'date') return { kind: 'date' };
    const { units, dates, days, present, unknown, others } = countKinds(texts);
    const hasNearlyAll = ({ rows } = NONE) => rows > 0 && rows >= PARSING_SHARE * present;
    let best: string | null = null;
    for (const [unit, { rows }] of units) if (rows > (units.get(best)?.rows ?? 0)) best = unit;
    if (choice === 'number' || hasNearlyAll(units.get(best))) return { kind: 'number', unit: best };
    if (hasNearlyAll(days)) return { kind: 'date' };
    if (hasNearlyAll(dates)) return this.#dates.describeWrong();
    const numbers = units.get(best) ?? NONE;
    const [most, counted] =
      days.rows > numbers.rows ? [DATES, days] : [{ kind: 'number', unit: best } as const, numbers];
    // Texts that are no longer known may be values.
    const known = present - unknown;
    const measures = countMeasures(units);
    // A few different ones may be sizes of a product, which are categories.
    const isOfUnits = measures.texts >= MANY && hasNearlyAll(measures);
    if (!isOfUnits && !hasFewOthers(counted, others, known)) return null;
    const shown = isOfUnits ? [] : others;
    const markers = shown.map(([text, rows]) => ({ text, rows, place: this.placeOf(text) ?? null }));
    const byRows = most.kind === 'date' ? [] : [...units].sort(([, one], [, other]) => other.rows - one.rows);
    return {
      kind: 'mixed',
      most,
      isOfUnits,
      reading: describeMixed(
        most.kind,
        markers,
        { rows: known - counted.rows, present: known },
        byRows.map(([unit, { rows }]) => [unit, rows]),
      ),
    };
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
  if (kind === null || kind.kind === 'undecided') return kind;
  return kind.kind === 'mixed' ? kind.reading : form.decide(kind);
}

const DATES = { kind: 'date' } as const;

/** Texts of a kind: how many are different, and the rows of all. */
interface KindCount {
  texts: number;
  rows: number;
}

const NONE: Readonly<KindCount> = { texts: 0, rows: 0 };

function countKinds(counted: Iterable<CountedText>) {
  const units = new Map<string | null, KindCount>();
  const [plain, dates, days] = [{ ...NONE }, { ...NONE }, { ...NONE }];
  const others = new MostFrequent();
  let [present, unknown] = [0, 0];
  for (const [text, rows] of counted) {
    present += rows;
    if (plainNumber(text) !== undefined) {
      count(plain, rows);
      continue;
    }
    const { number, date } = readText(text);
    if (number) countUnit(units, number.unit, { texts: 1, rows });
    if (date) count(dates, rows);
    if (date && isDay(date)) count(days, rows);
    if (text === '') unknown += rows;
    else if (!number && !date) others.add(text, rows);
  }
  if (plain.rows > 0) countUnit(units, null, plain);
  return { units, dates, days, present, unknown, others: others.texts };
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

function count(counted: KindCount, rows: number): void {
  counted.texts++;
  counted.rows += rows;
}

function countUnit(units: Map<string | null, KindCount>, unit: string | null, { texts, rows }: KindCount): void {
  const before = units.get(unit) ?? NONE;
  units.set(unit, { texts: before.texts + texts, rows: before.rows + rows });
}

/** Counts the numbers of all units that are surely such. */
function countMeasures(units: ReadonlyMap<string | null, Readonly<KindCount>>): KindCount {
  const measures = { ...NONE };
  for (const [unit, { texts, rows }] of units) {
    if (!isKnownUnit(unit)) continue;
    measures.texts += texts;
    measures.rows += rows;
  }
  return measures;
}

/** The most frequent of some texts. */
class MostFrequent {
  readonly texts: CountedText[] = [];

  add(text: string, rows: number): void {
    const { texts } = this;
    if (texts.length === MAX_MARKERS && rows <= (texts.at(-1)?.[1] ?? 0)) return;
    texts.push([text, rows]);
    texts.sort(([, one], [, other]) => other - one);
    if (texts.length > MAX_MARKERS) texts.pop();
  }
}
