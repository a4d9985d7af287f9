const SECONDS = /^\d+$/;
const WEEKDAY = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * How many milliseconds an answer asks to wait (`Retry-After`, RFC 9110, section 10.2.3), whether it
 * says so in seconds or by a date. Nothing where it does not say, or says what cannot be understood.
 */
export function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (SECONDS.test(value)) return Number(value) * 1000;
  if (!WEEKDAY.test(value)) return undefined;
  const then = millisecondsOf(value);
  if (then === undefined) return undefined;
  // By the clock of whoever answered, if it is known: that of this machine may be another.
  const now = millisecondsOf(headers.get('Date') ?? '') ?? Date.now();
  return Math.max(0, then - now);
}

/** The oldest of the three forms of a date in HTTP does not say that it is in GMT. */
function millisecondsOf(date: string): number | undefined {
  const milliseconds = Date.parse(date.endsWith('GMT') ? date : `${date} GMT`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
