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

/** The texts of a column of dates that show the order of day, month and year. */
export class DateOrders {
  /** The first text that may have just these orders, and their number of bits. */
  readonly #byOrders = new Map<number, Example>();
  readonly #bySeparator = new Map<string, Example>();
  #isIso = true;
  #wrong: Example | undefined;

  /** @param isIso true if the text is of ISO 8601. Returns whether it is a day of the calendar. */
  add(date: DateText, text: string, place: Place | undefined, isIso: boolean): boolean {
    if (date.byOrder === undefined) {
      const isDay = !Number.isNaN(date.value);
      if (isDay) this.#isIso &&= isIso;
      else this.#wrong ??= { text, place };
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
    if (another === undefined) return of(order, false);
    const [example] = this.#byOrders.values();
    const shown = example === undefined ? '' : ` (${showExample(example)})`;
    return undecided(
      `looks like dates in which the ${left.map(nameOrder).join(' or the ')} may come first, and none shows which${shown}`,
    );
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
