/** Within these bounds, ISO 8601 writes years with four digits, which are those that dates of tables have. */
const FIRST = Date.parse('0000-01-01T00:00:00Z');
const LAST = Date.parse('9999-12-31T23:59:59.999Z');

/** Returns a moment, or NaN for one that a table does not read as a date. */
export function withinCalendar(time: number): number {
  return time >= FIRST && time <= LAST ? time : Number.NaN;
}

/** Returns a moment in ISO 8601; null for NaN. */
export function momentText(time: number): string | null {
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

/** Returns the day of a moment in ISO 8601; null for NaN. */
export function dateText(time: number): string | null {
  return momentText(time)?.slice(0, 10) ?? null;
}

/** Units of a second, and how many of them a second has. */
const UNITS = { second: 1, millisecond: 1e3, microsecond: 1e6, nanosecond: 1e9 } as const;

export type TimeUnit = keyof typeof UNITS;

/** Returns the time of a day as `HH:MM:SS`, with the digits of a fraction if there is one. */
export function clockText(count: number, unit: TimeUnit): string {
  const perSecond = UNITS[unit];
  const seconds = Math.floor(count / perSecond);
  const two = (value: number) => String(value).padStart(2, '0');
  const rest = count - seconds * perSecond;
  const digits = rest === 0 ? '' : String(rest).padStart(String(perSecond).length - 1, '0');
  const fraction = digits === '' ? '' : `.${digits.replace(/0+$/, '')}`;
  const hours = two(Math.floor(seconds / 3600));
  return `${hours}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction}`;
}
