import {
  type DateOrder,
  type DateReading,
  type Example,
  type Place,
  type ReadingMarks,
  showExample,
  type UndecidedReading,
} from './column-reading.js';
import type { DateText } from './date-forms.js';

/** The orders that the numbers of a date may have. */
export const DATE_ORDERS = ['day-first', 'month-first', 'year-first'] as const;

/** The fewest days of ISO 8601 whose likeness shows that a program has exchanged their numbers. */
const MANY_DAYS = 10;

/** Programs take the first number of a day for its month where it may be one. */
const MONTHS = 12;

/** The texts of a column of dates that show the order of day, month and year. */
export class DateOrders {
  /** The first text that may have just these orders, and their number of bits. */
  readonly #byOrders = new Map<number, Example>();
  readonly #bySeparator = new Map<string, Example>();
  #isIso = true;
  #wrong: Example | undefined;
  /** The first day of ISO 8601, the first few different ones, and whether one of all is after the 12th of its month. */
  #firstIso: Example | undefined;
  readonly #isoDays = new Set<number>();
  #hasLateIso = false;

  /** @param isIso true if the text is of ISO 8601. Returns whether it is a day of the calendar. */
  add(date: DateText, text: string, place: Place | undefined, isIso: boolean): boolean {
    if (date.byOrder === undefined) {
      const isDay = !Number.isNaN(date.value);
      if (isDay) this.#isIso &&= isIso;
      else this.#wrong ??= { text, place };
      if (isDay && isIso) this.addIso(text, place);
      return isDay;
    }
    const { byOrder, separator = '' } = date;
    let orders = 0;
    for (const [bit, order] of DATE_ORDERS.entries()) {
      if (!Number.isNaN(byOrder[order])) orders |= 1 << bit;
    }
    if (orders === 0) {
      this.#wrong ??= { text, place };
      return false;
    }
    if (!this.#byOrders.has(orders)) this.#byOrders.set(orders, { text, place });
    if (!this.#bySeparator.has(separator)) this.#bySeparator.set(separator, { text, place });
    return true;
  }

  /** Adds the text of a day or a time of ISO 8601. */
  addIso(text: string, place: Place | undefined): void {
    if (this.#hasLateIso) return;
    this.#firstIso ??= { text, place };
    const day = text.slice(0, 10).replaceAll('-', '');
    if (Number(day.slice(-2)) > MONTHS) this.#hasLateIso = true;
    else if (this.#isoDays.size < MANY_DAYS) this.#isoDays.add(Number(day));
  }

  /** Returns the reason why texts that look like dates are not read as dates. */
  describeWrong(): UndecidedReading {
    const example = this.#wrong === undefined ? '' : `, such as ${showExample(this.#wrong)}`;
    const reason = `looks like dates, but the calendar has no such days${example}; correct them`;
    return { kind: 'undecided', reason };
  }

  /**
   * Decides in which order the numbers of the dates are.
   *
   * @param force true to ignore texts that contradict the sender.
   */
  decide({ dateOrder }: ReadingMarks, force = false): DateReading | UndecidedReading {
    const of = (order: DateReading['order'], isChosen: boolean): DateReading => {
      return { kind: 'date', order, decided_by: isChosen ? 'parameters' : 'values' };
    };
    if (this.#byOrders.size === 0) return of(this.#isIso ? 'iso' : 'unambiguous', false);
    if (dateOrder !== undefined) {
      const bit = 1 << DATE_ORDERS.indexOf(dateOrder);
      const other = [...this.#byOrders].find(([orders]) => (orders & bit) === 0);
      if (other === undefined || force) return of(dateOrder, true);
      return undecided(
        `looks like dates, but they contradict date_order=${dateOrder} of the request: ${showExample(other[1])}`,
      );
    }
    const [one, other] = this.#bySeparator.values();
    if (one !== undefined && other !== undefined) return twoForms(one, other);
    const common = [...this.#byOrders.keys()].reduce((all, orders) => all & orders, 7);
    const left = DATE_ORDERS.filter((_, bit) => (common & (1 << bit)) !== 0);
    const [order, another] = left;
    if (order === undefined) return this.#contradiction();
    if (another === undefined) return this.#describeExchanged(order) ?? of(order, false);
    const [example] = this.#byOrders.values();
    const shown = example === undefined ? '' : ` (${showExample(example)})`;
    return undecided(
      `looks like dates in which the ${left.map(nameOrder).join(' or the ')} may come first, and none shows which${shown}`,
    );
  }

  /**
   * Returns the reason why days of ISO 8601 may be wrong beside dates of an order: a spreadsheet that expects another one
   * makes dates of those texts that fit, with day and month exchanged, and leaves the others.
   */
  #describeExchanged(order: DateOrder): UndecidedReading | undefined {
    const [text] = this.#byOrders.values();
    const isEither = [...this.#byOrders.keys()].some((orders) => (orders & DAY_OR_MONTH) === DAY_OR_MONTH);
    const iso = this.#firstIso;
    if (isEither || this.#hasLateIso || this.#isoDays.size < MANY_DAYS || !iso || !text) return undefined;
    return {
      kind: 'undecided',
      reason: `looks like dates in two forms, and a program may have exchanged day and month of the one: ${showExample(iso)} and all others like it are at most the ${MONTHS}th of a month, and ${showExample(text)} and all others like it are later; write the values as 2025-05-13, or state with date_order=${order} that they are right`,
    };
  }

  #contradiction(): UndecidedReading {
    const all = [...this.#byOrders];
    for (const [orders, one] of all) {
      const other = all.find(([others]) => (orders & others) === 0);
      if (other !== undefined) return twoForms(one, other[1]);
    }
    const [one, other] = this.#byOrders.values();
    return one && other ? twoForms(one, other) : this.describeWrong();
  }
}

/** The bits of the orders that a number up to 12 leaves open. */
const DAY_OR_MONTH = 0b011;

function nameOrder(order: DateOrder): string {
  return order.slice(0, order.indexOf('-'));
}

function twoForms(one: Example, other: Example): UndecidedReading {
  return undecided(`looks like dates in two forms: ${showExample(one)}, and ${showExample(other)}`);
}

function undecided(what: string): UndecidedReading {
  return {
    kind: 'undecided',
    reason: `${what}; state it with date_order=day-first or date_order=month-first, or write the values as 2025-05-13`,
  };
}
