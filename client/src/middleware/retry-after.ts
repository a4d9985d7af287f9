const SECONDS = /^\d+$/;
const WEEKDAY = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/;

/**
 * Returns the wait that a response asks for (`Retry-After`, RFC 9110, section 10.2.3), in
 * milliseconds, from a number of seconds or a date. Returns undefined if it is missing or invalid.
 */
export function retryAfter({ headers }: Response): number | undefined {
  const value = headers.get('Retry-After')?.trim() ?? '';
  if (SECONDS.test(value)) return Number(value) * 1000;
  if (!WEEKDAY.test(value)) return undefined;
  const then = parseDate(value);
  if (then === undefined) return undefined;
  // By the server's clock, if it is known, since the clock of this machine may differ.
  const now = parseDate(headers.get('Date') ?? '') ?? Date.now();
  return Math.max(0, then - now);
}

/** The oldest of the three date formats of HTTP does not state that it is in GMT. */
function parseDate(date: string): number | undefined {
  const milliseconds = Date.parse(date.endsWith('GMT') ? date : `${date} GMT`);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}
