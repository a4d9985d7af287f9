/** Tests of what is found odd in series that are to be forecast: clean ones, and copies that are spoiled in one way each. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { csvStream } from '../../../testkit/prediction/sample-tables.js';
import { readTableWithPlaces } from '../io/read-table.js';
import { seededRandom } from '../trees/random.js';
import type { Finding } from './finding.js';
import { inspectTable } from './inspect-table.js';

async function inspect(text: string, target: string, orderBy: string, groupBy: string[] = []): Promise<Finding[]> {
  const task = { orderBy, groupBy, horizon: 3, known: [] };
  const { table, places } = await readTableWithPlaces('csv', csvStream(text), target, { task });
  return inspectTable(table, places);
}

const SHOPS = ['Bonn', 'Jena', 'Kiel', 'Köln', 'Mainz', 'Trier'];
const MONTHS = 60;

interface Sale {
  readonly shop: string;
  readonly date: string;
  readonly sales: number;
}

const monthOf = (index: number) => new Date(Date.UTC(2020, index, 1)).toISOString().slice(0, 10);
const dayOf = (index: number) => new Date(Date.UTC(2024, 0, 1 + index)).toISOString().slice(0, 10);

/** Monthly sales of shops of different sizes, with a trend, a season and noise. */
function monthlySales(seed = 5): Sale[] {
  const random = seededRandom(seed);
  return SHOPS.flatMap((shop, size) =>
    Array.from({ length: MONTHS }, (_, month): Sale => {
      const season = 1 + 0.3 * Math.sin((2 * Math.PI * month) / 12);
      const sales = Math.round(100 * (size + 1) * season * (1 + 0.005 * month) * (0.9 + 0.2 * random()));
      return { shop, date: monthOf(month), sales };
    }),
  );
}

/** Sales of one shop, on each of some days. */
function dailySales(days: readonly number[]): Sale[] {
  const random = seededRandom(6);
  return days.map((day) => ({ shop: 'Bonn', date: dayOf(day), sales: Math.round(100 + 40 * random()) }));
}

async function inspectSales(sales: readonly Sale[]): Promise<Finding[]> {
  const lines = sales.map(({ shop, date, sales: sold }) => [shop, date, sold].join());
  return inspect(['shop,date,sales', ...lines].join('\n'), 'sales', 'date', ['shop']);
}

describe('in clean series', () => {
  test.each([1, 2, 3, 4, 5])('of shops, nothing is said (seed %i)', async (seed) => {
    expect(await inspectSales(monthlySales(seed))).toEqual([]);
  });

  test.each([
    ['chicago.csv', 'ridership', 'date', []],
    ['seattle-weather.csv', 'temp_max', 'date', []],
    ['seattle-weather.csv', 'precipitation', 'date', []],
  ])('of %s, nothing is said of %s', async (name, target, orderBy, groupBy) => {
    const text = await readFile(new URL(`../../../datasets/${name}`, import.meta.url), 'utf8');
    expect(await inspect(text, target, orderBy, groupBy)).toEqual([]);
  });
});

describe('in series that were spoiled', () => {
  const LAST = monthOf(MONTHS - 1);

  test.each(['Total', 'Gesamt', 'Deutschland'])(
    'by a series named %s that is the sum of the others, it is named',
    async (shop) => {
      const sums = Array.from({ length: MONTHS }, (_, month): Sale => {
        const date = monthOf(month);
        const all = monthlySales().filter((sale) => sale.date === date);
        return { shop, date, sales: all.reduce((sum, { sales }) => sum + sales, 0) };
      });
      expect(await inspectSales([...monthlySales(), ...sums])).toMatchObject([
        { kind: 'total_series', column: 'shop', rows: MONTHS, message: expect.stringContaining(`"${shop}"`) },
      ]);
    },
  );

  test.each([0.1, 0.3])('by a last month of which only %d was sold so far, the month is named', async (part) => {
    const sales = monthlySales().map((sale) =>
      sale.date === LAST ? { ...sale, sales: Math.round(part * sale.sales) } : sale,
    );
    expect(await inspectSales(sales)).toContainEqual(
      expect.objectContaining({ kind: 'partial_end', rows: 6, message: expect.stringContaining(LAST) }),
    );
  });

  test('by daily and then monthly values, the change is named', async () => {
    const days = [
      ...Array.from({ length: 90 }, (_, day) => day),
      ...Array.from({ length: 10 }, (_, month) => 120 + 30 * month),
    ];
    expect(await inspectSales(dailySales(days))).toMatchObject([
      { kind: 'changed_step', column: 'date', rows: 10, message: expect.stringContaining('30 steps of 1 day') },
    ]);
  });

  test('by monthly and then daily values, the change is named', async () => {
    const days = [
      ...Array.from({ length: 10 }, (_, month) => 30 * month),
      ...Array.from({ length: 90 }, (_, day) => 271 + day),
    ];
    expect(await inspectSales(dailySales(days))).toMatchObject([{ kind: 'changed_step', rows: 9 }]);
  });

  test.each([
    ['days of a spreadsheet', 'date', (at: number) => 45_292 + at, '45292 is 2024-01-01'],
    ['seconds since 1970', 'time', (at: number) => 1_704_067_200 + 3600 * at, '1704067200 is 2024-01-01T00:00:00.000Z'],
  ])('by moments that are %s, they are named', async (as, column, momentAt, words) => {
    const lines = Array.from({ length: 60 }, (_, at) => `${momentAt(at)},${100 + ((at * 7919) % 13)}`);
    const findings = await inspect([`${column},y`, ...lines].join('\n'), 'y', column);
    expect(findings).toMatchObject([{ kind: 'undecided_column', column, message: expect.stringContaining(words) }]);
    expect(findings[0]?.message).toContain(as);
    // A counter has another name, and years are smaller.
    const counted = await inspect(['reading,y', ...lines].join('\n'), 'y', 'reading');
    expect(counted.filter(({ kind }) => kind === 'undecided_column')).toEqual([]);
    const years = lines.map((line, at) => line.replace(/^\d+/, String(1960 + at)));
    expect(await inspect(['year,y', ...years].join('\n'), 'y', 'year')).toEqual([]);
  });

  test('by missing days, their number is said', async () => {
    const days = Array.from({ length: 200 }, (_, day) => day).filter((day) => day % 9 !== 4 || day > 150);
    expect(await inspectSales(dailySales(days))).toMatchObject([
      { kind: 'series_gaps', message: expect.stringContaining('17 steps') },
    ]);
  });

  test('by a series that ends early, it is named with its last moment', async () => {
    const sales = monthlySales().filter(({ shop, date }) => shop !== 'Kiel' || date < monthOf(50));
    expect(await inspectSales(sales)).toMatchObject([
      { kind: 'ended_series', message: expect.stringMatching(`"Kiel".*${monthOf(49)}`) },
    ]);
  });

  test('by a series of few values, it is named', async () => {
    const sales = monthlySales().filter(({ shop, date }) => shop !== 'Kiel' || date >= monthOf(52));
    expect(await inspectSales(sales)).toMatchObject([
      { kind: 'short_series', rows: 8, message: expect.stringContaining('"Kiel"') },
    ]);
  });

  test('by a series of one value, it is named', async () => {
    const sales = monthlySales().map((sale) => (sale.shop === 'Kiel' ? { ...sale, sales: 7 } : sale));
    expect(await inspectSales(sales)).toMatchObject([
      { kind: 'constant_series', rows: MONTHS, message: expect.stringContaining('"Kiel"') },
    ]);
  });

  test('by a value of other digits, it is named with its moment', async () => {
    const sales = monthlySales().map((sale, index) => (index === 100 ? { ...sale, sales: 100 * sale.sales } : sale));
    expect(await inspectSales(sales)).toMatchObject([
      { kind: 'outliers', column: 'sales', rows: 1, message: expect.stringContaining(`${monthOf(40)} in "Jena"`) },
    ]);
  });
});
