/** A day and a moment, as RFC 3339 writes them. */
const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT_FORM = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/** Returns the beginning of a day in UTC, in milliseconds; undefined if the text is not a day of the calendar. */
export function parseDay(text: string): number | undefined {
  const time = DAY_FORM.test(text) ? Date.parse(text) : Number.NaN;
  // February 30 becomes a day of March.
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isDay ? time : undefined;
}

/** Returns a moment with its UTC offset, in milliseconds; undefined if the text is not one. */
export function parseMoment(text: string): number | undefined {
  const [, day = ''] = MOMENT_FORM.exec(text) ?? [];
  return parseDay(day) === undefined ? undefined : Date.parse(text);
}
