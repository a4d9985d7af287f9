import type { ForecastTable } from '../table/series-table.js';
import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import type { LookedTable } from './looked-table.js';
import { hasDateName, hasTimeName } from './plain-columns.js';

const DAY_MS = 86_400_000;

/** Numbers that programs write for moments: by how many milliseconds they count, from when, and in words. */
const FORMS = [
  { unit: DAY_MS, zero: Date.UTC(1899, 11, 30), as: 'days of a spreadsheet' },
  { unit: 1000, zero: 0, as: 'seconds since 1970' },
  { unit: 1, zero: 0, as: 'milliseconds since 1970' },
];

/** Moments outside these years are numbers of something else. */
const [FROM, TO] = [Date.UTC(1990, 0), Date.UTC(2050, 0)];

/**
 * Finds an order column whose numbers are moments as programs count them. They are not read as such: no text says that
 * they are, and 45,000 may be a counter.
 */
export function findSerialMoments({ grid, goal, report }: ForecastTable): Finding[] {
  const { first, last } = report;
  const { orderBy } = goal;
  if (grid.form !== 'number' || !hasTimeName(orderBy) || typeof first !== 'number' || typeof last !== 'number')
    return [];
  const form = findForm(first, last);
  if (!form) return [];
  return [describe(orderBy, first, form, 'The model knows neither the day of the week nor the month, and no season.')];
}

/**
 * Finds columns of numbers that are moments as programs count them, such as the dates of a workbook whose cells have
 * lost their format. A time of 45,000 may be one of a race, so that days have to be named as dates, and to be whole.
 */
export function findSerialColumns({ columns }: LookedTable): Finding[] {
  return columns.flatMap(({ name, kind, sorted, distinct }) => {
    const [first, last] = [sorted[0], sorted.at(-1)];
    if (kind !== 'number' || distinct < MIN_DISTINCT || !hasTimeName(name) || first === undefined || last === undefined)
      return [];
    const form = findForm(first, last);
    if (!form || (form.unit === DAY_MS && !(hasDateName(name) && sorted.every(Number.isInteger)))) return [];
    return [describe(name, first, form, 'The model knows neither the day of the week nor the month.')];
  });
}

/** The fewest different values: a few numbers may be anything. */
const MIN_DISTINCT = 10;

type Form = (typeof FORMS)[number];

const timeOf = (value: number, { unit, zero }: Form) => zero + unit * value;

/** Returns what the numbers from the first to the last count, if all of them are moments of these years. */
const findForm = (first: number, last: number): Form | undefined =>
  FORMS.find((one) => timeOf(first, one) >= FROM && timeOf(last, one) < TO);

function describe(column: string, first: number, form: Form, effect: string): Finding {
  const time = new Date(timeOf(first, form)).toISOString();
  const date = form.unit === DAY_MS && Number.isInteger(first) ? time.slice(0, 10) : time;
  const inWorkbook = form.unit === DAY_MS ? ', or give the cells of the workbook a format of dates and send it' : '';
  return {
    kind: 'undecided_column',
    column,
    rows: null,
    share: null,
    places: [],
    message: `The numbers of ${quote(column)} may be moments: as ${form.as}, ${first} is ${date}. They are read as numbers.`,
    effect: `${effect} If they are moments, write them as dates, such as ${date}${inWorkbook}; as_date reads no numbers.`,
    remedies: [],
  };
}
