/** Days in which holidays are quiet. */

const DAY = 86_400_000;

/** A day of a shop that is busy on Saturdays, and nearly empty on holidays. */
export interface ShopDay {
  readonly day: string;
  readonly event: string;
  readonly sales: number;
}

/** @param count of days from a first one on @param eventOf names the event of a day, '' on usual ones */
export function makeDays(first: string, count: number, eventOf: (day: string) => string): ShopDay[] {
  const start = Date.parse(`${first}T00:00:00Z`);
  return Array.from({ length: count }, (_, index) => {
    const date = new Date(start + index * DAY);
    const day = date.toISOString().slice(0, 10);
    const weekday = date.getUTCDay();
    const usual = (100 + index / 30) * (weekday === 0 ? 0.3 : weekday === 6 ? 1.4 : 1);
    const event = eventOf(day);
    const noise = 1 + (((index * 7919) % 13) - 6) / 150;
    return { day, event, sales: Number((usual * noise * (event !== '' && weekday > 0 ? 0.2 : 1)).toFixed(2)) };
  });
}

/** Writes days as CSV. */
export function daysCsv(days: readonly ShopDay[], columns: readonly (keyof ShopDay)[] = ['day', 'sales']): string {
  return `${[columns.join(','), ...days.map((row) => columns.map((name) => row[name]).join(','))].join('\n')}\n`;
}
