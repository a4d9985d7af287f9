import { InvalidArgumentError } from 'commander';
import { SCOPES, type Scope } from '../contract/scopes.js';

const DAY = 24 * 60 * 60 * 1000;
const MAX_NAME_LENGTH = 100;

/** Control characters, and others that a terminal hides or replaces. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** A day and a moment, as RFC 3339 writes them. */
const DAY_FORM = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT_FORM =
  /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3])(:[0-5]\d){2}(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/;

/**
 * Reads the name of a key or of an owner.
 * @throws {InvalidArgumentError}
 */
export function readName(text: string): string {
  const { length } = [...text];
  if (length === 0 || length > MAX_NAME_LENGTH || INVISIBLE.test(text) || text !== text.trim()) {
    throw new InvalidArgumentError(
      `It must be 1 to ${MAX_NAME_LENGTH} visible characters, without spaces at either end.`,
    );
  }
  return text;
}

/**
 * Reads scopes, separated by commas.
 * @throws {InvalidArgumentError}
 */
export function readScopes(text: string): Scope[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => SCOPES.some((scope) => scope === name))) {
    throw new InvalidArgumentError(`It must be one or more of ${SCOPES.join(',')}.`);
  }
  return SCOPES.filter((scope) => names.includes(scope));
}

/**
 * Reads the expiry of a key: its last valid day (UTC), a time with its UTC offset, or a number of
 * days from now.
 * @returns the time in ISO 8601, UTC
 * @throws {InvalidArgumentError}
 */
export function readExpiry(text: string): string {
  const moment = momentOf(text);
  if (moment === undefined) {
    throw new InvalidArgumentError(
      'It must be a day such as 2027-01-31, a moment such as 2027-01-31T12:00:00Z, or a number of days such as 90d.',
    );
  }
  if (moment <= Date.now()) throw new InvalidArgumentError('It has already passed.');
  return new Date(moment).toISOString();
}

function momentOf(text: string): number | undefined {
  const days = /^(\d{1,5})d$/.exec(text)?.[1];
  if (days !== undefined) return Date.now() + Number(days) * DAY;
  if (isDay(text)) return Date.parse(text) + DAY;
  const [, day] = MOMENT_FORM.exec(text) ?? [];
  return isDay(day) ? Date.parse(text) : undefined;
}

/** Whether the calendar has a day: February 30 becomes a day of March. */
function isDay(text = ''): boolean {
  const time = DAY_FORM.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
