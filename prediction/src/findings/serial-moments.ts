import type { ForecastTable } from '../table/series-table.js';
import { quote } from '../table/table-error.js';
import type { Finding } from './finding.js';
import { hasTimeName } from './plain-columns.js';

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
  const timeOf = (value: number, { unit, zero }: (typeof FORMS)[number]) => zero + unit * value;
  const form = FORMS.find((one) => timeOf(first, one) >= FROM && timeOf(last, one) < TO);
  if (!form) return [];
  const time = new Date(timeOf(first, form)).toISOString();
  const date = form.unit === DAY_MS && Number.isInteger(first) ? time.slice(0, 10) : time;
  return [
    {
      kind: 'undecided_column',
      column: orderBy,
      rows: null,
      share: null,
      places: [],
      message: `The numbers of ${quote(orderBy)} may be moments: as ${form.as}, ${first} is ${date}. They are read as numbers.`,
      effect: `The model knows neither the day of the week nor the month, and no season. If they are moments, write them as dates, such as ${date}${form.unit === DAY_MS ? ', or send the workbook, whose cells say that they are dates' : ''}.`,
      remedies: [],
    },
  ];
}
