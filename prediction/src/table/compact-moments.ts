import { type Moment, readCompactMoment } from './moments.js';
import { quote, TableError } from './table-error.js';

/** Reads numbers as months, or as days, without hyphens; undefined if one of them is none. */
export function readCompactMoments(numbers: Float64Array) {
  const moments = new Float64Array(numbers.length);
  let form: Moment['form'] | undefined;
  for (const [row, number] of numbers.entries()) {
    const moment = readCompactMoment(String(number));
    if (moment === undefined) return undefined;
    form ??= moment.form;
    if (moment.form !== form) return undefined;
    moments[row] = moment.value;
  }
  return form === undefined ? undefined : { form, moments };
}

/** Numbers that stand for parts of a year, and would have gaps between the years. */
const PARTS_OF_YEARS = [
  {
    what: 'weeks without hyphens',
    read: (number: number) => ({ year: Math.floor(number / 100), part: number % 100, most: 53 }),
    write: (year: number, part: string) => `${year}-W${part}`,
  },
  {
    what: 'months behind a point',
    read: (number: number) => {
      const whole = Math.round(number * 100);
      return { year: Math.floor(whole / 100), part: Math.abs(number * 100 - whole) < 1e-6 ? whole % 100 : 0, most: 12 };
    },
    write: (year: number, part: string) => `${year}-${part}`,
  },
  {
    what: 'months before a point',
    read: (number: number) => ({
      year: Math.round((number - Math.floor(number)) * 10_000),
      part: Math.floor(number),
      most: 12,
    }),
    write: (year: number, part: string) => `${year}-${part}`,
  },
];

/** @throws {TableError} if all moments are numbers of a year and a part of it, of more than one year. */
export function refusePartsOfYears(name: string, moments: Float64Array): void {
  for (const { what, read, write } of PARTS_OF_YEARS) {
    const first = read(moments[0] ?? 0);
    const fits = (moment: number) => {
      const { year, part, most } = read(moment);
      return year >= 1900 && year < 2100 && part >= 1 && part <= most;
    };
    if (!moments.some((moment) => read(moment).year !== first.year) || !moments.every(fits)) continue;
    const written = write(first.year, String(first.part).padStart(2, '0'));
    const message = `The values of the column ${quote(name)} look like ${what}. As numbers, they have gaps that the calendar does not have. Write ${moments[0]} as ${written}.`;
    throw new TableError([{ message, column: name }]);
  }
}
