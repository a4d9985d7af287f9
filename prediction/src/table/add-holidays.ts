import { dayAndHour, type HolidayDays, stepsOfDay } from './holidays.js';
import type { ForecastTable } from './series-table.js';
import { TableError } from './table-error.js';
import { describeStep } from './time-grid.js';

/**
 * Adds holidays to a table of series.
 *
 * @param list returns those around the days of the table, from its first to its last.
 * @throws {TableError} if its steps are longer than a day, or numbers.
 */
export function addHolidays(table: ForecastTable, list: (first: number, last: number) => HolidayDays): ForecastTable {
  const { grid, goal, starts, ends } = table;
  if (stepsOfDay(grid) === undefined) {
    const message = `The step of the table is ${describeStep(grid.step)}${grid.form === 'number' ? ', a number' : ''}: holidays change days, or parts of these. Leave out the parameter holidays.`;
    throw new TableError([{ message, column: goal.orderBy }]);
  }
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const [series, start] of starts.entries()) {
    first = Math.min(first, start);
    last = Math.max(last, start + (ends[series] ?? 0) - (ends[series - 1] ?? 0) - 1);
  }
  return { ...table, holidays: list(dayAndHour(grid, first).day, dayAndHour(grid, last).day) };
}
