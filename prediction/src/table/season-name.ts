import type { TimeStep } from './time-grid.js';

const DAYS: Readonly<Partial<Record<TimeStep['unit'], number>>> = {
  second: 1 / 86_400,
  minute: 1 / 1440,
  hour: 1 / 24,
  day: 1,
  // Five of them are a week.
  weekday: 7 / 5,
  week: 7,
};

/** Names a season of several that a series may have, by its length in steps, which need not be whole. */
export function nameSeason({ unit, count }: TimeStep, length: number): 'day' | 'week' | 'year' {
  const days = Math.round((DAYS[unit] ?? 0) * count * length);
  return days === 1 ? 'day' : days === 7 ? 'week' : 'year';
}
