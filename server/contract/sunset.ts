import * as v from 'valibot';
import { asRecord } from './json-record.js';

const date = v.pipe(
  v.string('must be a date in quotes'),
  v.check(isDate, 'must be a date, such as 2027-11-23'),
);

/** The shape of `x-roster-sunset`, which says how long something deprecated works. */
export const sunsetShape = v.pipe(
  v.strictObject({ deprecated: date, sunset: date }),
  v.check(({ deprecated, sunset }) => deprecated < sunset, 'sunset must be later than deprecated'),
);

/** The dates of something deprecated, as in the contract: `2026-11-23`. */
export type Sunset = v.InferOutput<typeof sunsetShape>;

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns how long a part of the contract works; undefined if it says nothing of it. */
export function sunsetOf(part: unknown): Sunset | undefined {
  const { 'x-roster-sunset': sunset } = asRecord(part);
  return v.is(sunsetShape, sunset) ? sunset : undefined;
}

/** Returns the earlier of each of the dates. */
export function earlier(one: Sunset, other: Sunset): Sunset {
  return {
    deprecated: one.deprecated < other.deprecated ? one.deprecated : other.deprecated,
    sunset: one.sunset < other.sunset ? one.sunset : other.sunset,
  };
}

/** Returns the headers `Deprecation` (RFC 9745, section 2) and `Sunset` (RFC 8594, section 3). */
export function sunsetHeaders({ deprecated, sunset }: Sunset): Readonly<Record<string, string>> {
  return {
    Deprecation: `@${Date.parse(deprecated) / 1000}`,
    Sunset: new Date(sunset).toUTCString(),
  };
}
