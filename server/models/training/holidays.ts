import type Holidays from 'date-holidays';
import type { HolidayDays } from 'roster-prediction/reading';
import { editDistance } from 'roster-prediction/text';
import { type FieldError, invalidRequest } from '../../problems/problem.js';

/** The package that lists holidays, an optional peer dependency. */
const PACKAGE = 'date-holidays';
const VERSION = '3.37.0';

/** Holidays are listed from so many years before the end of a table to so many after it. */
const YEARS_BEFORE = 30;
const YEARS_AFTER = 10;

/** The years of which the package knows holidays whose days follow no rule of the usual calendar. */
const FIRST_YEAR = 1970;
const LAST_YEAR = 2100;

const DAY = 86_400_000;

/** Public holidays alone: not observances and days on which some work. */
const OPTIONS = { types: ['public'], languages: 'en' };

/** An unknown name is compared with codes and names that differ by so many characters at most. */
const MAX_DISTANCE = 2;

/** The holidays of some countries and regions. */
export class HolidayCalendar {
  /**
   * Opens the holidays of countries and regions, each by its code: `DE`, `DE-BY` or `US-LA-NO`.
   *
   * @throws {ProblemError} if a code is not known, or the package that lists holidays is not installed
   */
  static async open(regions: readonly string[]): Promise<HolidayCalendar> {
    const Calendar = await importPackage();
    const all = new Calendar();
    const errors = regions.flatMap((code, index): FieldError[] => {
      const message = describeUnknown(all, code);
      return message === undefined ? [] : [{ pointer: `/query/holidays/${index}`, message }];
    });
    if (errors.length > 0) throw invalidRequest(errors);
    const calendars = regions.map((code) => {
      const [country = '', state, region] = code.split('-');
      if (region !== undefined) return new Calendar(country, state, region, OPTIONS);
      return state === undefined ? new Calendar(country, OPTIONS) : new Calendar(country, state, OPTIONS);
    });
    return new HolidayCalendar(regions, calendars);
  }

  private constructor(
    private readonly regions: readonly string[],
    private readonly calendars: readonly Holidays[],
  ) {}

  /**
   * Lists the holidays around the end of a table.
   *
   * @param first the first day of the table, since 1970
   * @param last its last day
   */
  list(first: number, last: number): HolidayDays {
    const lastYear = yearOf(last);
    const from = Math.max(yearOf(first), lastYear - YEARS_BEFORE, FIRST_YEAR);
    const to = Math.min(lastYear + YEARS_AFTER, LAST_YEAR);
    const names: string[] = [];
    const codeOf = new Map<number, number>();
    for (let year = from; year <= to; year++) {
      for (const calendar of this.calendars) {
        for (const { date, start, end, name } of calendar.getHolidays(year)) {
          const begin = Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY;
          // Feasts that begin in the evening have a part of a day more.
          const length = Math.max(1, Math.floor((end.getTime() - start.getTime()) / DAY));
          if (!names.includes(name)) names.push(name);
          for (let day = begin; day < begin + length; day++) if (!codeOf.has(day)) codeOf.set(day, names.indexOf(name));
        }
      }
    }
    const days = [...codeOf.keys()].sort((one, other) => one - other);
    return { regions: this.regions, days, codes: days.map((day) => codeOf.get(day) ?? 0), names };
  }
}

async function importPackage() {
  try {
    const { default: Calendar } = await import('date-holidays');
    return Calendar;
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ERR_MODULE_NOT_FOUND';
    if (!isMissing) throw cause;
    const message = `needs a package that this service does not have: ask those who run it to install it (npm install ${PACKAGE}@${VERSION}), or send a column that names the holidays, and name it with known`;
    throw invalidRequest([{ pointer: '/query/holidays', message }]);
  }
}

/** Says what is wrong with a code; undefined if it is known. */
function describeUnknown(all: Holidays, code: string): string | undefined {
  const [country = '', state, region, ...rest] = code.split('-');
  const countries = all.getCountries('en');
  if (!Object.hasOwn(countries, country)) return describe(code, 'country', '', countries);
  if (state === undefined) return undefined;
  const states = all.getStates(country, 'en') ?? {};
  if (!Object.hasOwn(states, state)) return describe(code, `region of ${country}`, `${country}-`, states);
  if (region === undefined) return undefined;
  const regions = all.getRegions(country, state, 'en') ?? {};
  if (Object.hasOwn(regions, region) && rest.length === 0) return undefined;
  return describe(code, `region of ${country}-${state}`, `${country}-${state}-`, regions);
}

/** @param known the names by code that could stand in its place, behind a prefix */
function describe(code: string, kind: string, prefix: string, known: Readonly<Record<string, string>>): string {
  const what = `${JSON.stringify(code)} is the code of no ${kind} whose holidays are known`;
  const codes = Object.keys(known);
  if (codes.length === 0) return `${what}; there are none: send ${prefix.slice(0, -1)}`;
  const wanted = code.slice(prefix.length).toLowerCase();
  const isNear = (text: string) => editDistance(text.toLowerCase(), wanted, MAX_DISTANCE) <= MAX_DISTANCE;
  // Any two codes are near each other.
  const near = Object.entries(known).find(([, name]) => wanted.length > MAX_DISTANCE + 1 && isNear(name));
  if (near) return `${what}; did you mean ${prefix}${near[0]} (${near[1]})?`;
  return `${what}; known are ${codes.map((one) => `${prefix}${one}`).join(', ')}`;
}

function yearOf(day: number): number {
  return new Date(day * DAY).getUTCFullYear();
}
