/** The recurring parts of a date, within each year, month, week or day. All in UTC. */
export const DATE_PARTS = ['month', 'day_of_year', 'day_of_month', 'day_of_week', 'hour'] as const;

export type DatePart = (typeof DATE_PARTS)[number];

const DAY = 24 * 60 * 60 * 1000;

/** @param time milliseconds since 1970, finite. */
export function datePart(part: DatePart, time: number): number {
  const date = new Date(time);
  switch (part) {
    case 'month':
      return date.getUTCMonth() + 1;
    case 'day_of_year':
      return Math.floor((time - date.setUTCMonth(0, 1)) / DAY) + 1;
    case 'day_of_month':
      return date.getUTCDate();
    case 'day_of_week':
      return date.getUTCDay();
    case 'hour':
      return date.getUTCHours();
  }
}

/**
 * Returns the parts that add information to the moment of these dates: those with a value that
 * recurs after other values. Within one year no month recurs, and cuts in time can express all that
 * months do.
 *
 * @param times milliseconds since 1970, ascending.
 */
export function recurringParts(times: readonly number[]): DatePart[] {
  return DATE_PARTS.filter((part) => {
    const seen = new Set<number>();
    let last = Number.NaN;
    return times.some((time) => {
      const value = datePart(part, time);
      const returns = value !== last && seen.has(value);
      seen.add(value);
      last = value;
      return returns;
    });
  });
}
