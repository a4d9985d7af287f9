const SECONDS = /^\d+$/;
const MAX_SECONDS = 24 * 60 * 60;

/**
 * Returns the wait that a response asks for (`Retry-After`, RFC 9110, section 10.2.3) in whole
 * seconds, a day at most; undefined if it is missing or invalid.
 */
export function retryAfterSeconds(headers: Headers): number | undefined {
  const value = headers.get('Retry-After')?.trim() ?? '';
  const seconds = SECONDS.test(value) ? Number(value) : secondsUntil(value, headers);
  if (Number.isNaN(seconds)) return undefined;
  return Math.min(Math.max(0, Math.ceil(seconds)), MAX_SECONDS);
}

/** Returns the seconds until a date, by the server's clock if it tells it; NaN if it is none. */
function secondsUntil(date: string, headers: Headers): number {
  const now = Date.parse(headers.get('Date') ?? '');
  return (Date.parse(date) - (Number.isNaN(now) ? Date.now() : now)) / 1000;
}
