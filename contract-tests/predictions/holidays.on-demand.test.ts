/** Forecasts of days that are holidays, by the package that lists them. */
import { mkdir, rm, symlink } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createRosterClient, type Model } from 'roster-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { daysCsv, makeDays } from '../../testkit/data/holiday-days.js';
import { root } from '../../testkit/root.js';
import { type ServerProcess, startServer } from '../../testkit/service/server-process.js';
import { settled } from '../../testkit/service/train-prices.js';

/** Where the built service finds the package, as if it were installed beside it. */
const BESIDE = fileURLToPath(new URL('dist/node_modules', root));
const INSTALLED = fileURLToPath(new URL('tools/on-demand/holidays/node_modules/date-holidays', root));

/** Holidays of Germany by the calendar, among them those of Easter, in the years of the table and in the next one. */
const HOLIDAYS = new Set(
  ['01-01', '05-01', '10-03', '12-25', '12-26']
    .flatMap((day) => ['2021', '2022', '2023', '2024'].map((year) => `${year}-${day}`))
    .concat('2021-04-02', '2021-04-05', '2021-05-13', '2021-05-24', '2022-04-15', '2022-04-18', '2022-05-26')
    .concat('2022-06-06', '2023-04-07', '2023-04-10', '2023-05-18', '2023-05-29'),
);

/** From a Monday on; the next 14 days have Good Friday and Easter Monday. */
const KNOWN = 760;
const HORIZON = 14;
const days = makeDays('2021-03-01', KNOWN + HORIZON, (day) => (HOLIDAYS.has(day) ? 'holiday' : ''));

let server: ServerProcess;
beforeAll(async () => {
  await mkdir(BESIDE, { recursive: true });
  await symlink(INSTALLED, `${BESIDE}/date-holidays`, 'junction');
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  await rm(`${BESIDE}/date-holidays`);
});

const address = (name: string) => `${server.url}/api/projects/default/models/${name}`;

function put(name: string, query: string, csv = daysCsv(days.slice(0, KNOWN))): Promise<Response> {
  const headers = { 'Content-Type': 'text/csv' };
  return fetch(`${address(name)}?target=sales&order_by=day&horizon=${HORIZON}&${query}`, {
    method: 'PUT',
    headers,
    body: csv,
  });
}

async function train(name: string, query: string): Promise<Model> {
  const response = await put(name, query);
  if (response.status !== 202) throw new Error(await response.text());
  const model = await settled(createRosterClient({ baseUrl: server.url }), { projectName: 'default', modelName: name });
  if (model.status !== 'ready') throw new Error(model.failure ?? '');
  return model;
}

/** Returns the mean error of a backtest, in which most days are usual ones. */
function errorOf({ metrics }: Model): number {
  if (!(metrics && 'errors' in metrics)) throw new Error('The model has no backtest.');
  return metrics.errors.mae;
}

/** Returns the mean error of the forecasts of the two holidays ahead. */
async function measure(name: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(`${address(name)}/predict?rows=lean`, { method: 'POST', headers, body: '[]' });
  const rows: unknown = await response.json();
  let sum = 0;
  for (const row of Array.isArray(rows) ? rows : []) {
    const came = days.find(({ day }) => day === row.day);
    if (came?.event) sum += Math.abs(row.sales - came.sales);
  }
  return sum / 2;
}

async function refusal(query: string, csv?: string) {
  const response = await put('refused', query, csv);
  const { errors }: { errors?: unknown } = Object(await response.json());
  return { status: response.status, errors };
}

test('a day that is a holiday is forecast as one, and the model names the region', async () => {
  const model = await train('with', 'holidays=de&holidays=DE-BY');
  expect(model).toMatchObject({ holidays: ['DE', 'DE-BY'] });
  const without = await train('without', '');
  expect(without).toMatchObject({ holidays: [] });
  const [aware, unaware] = [await measure('with'), await measure('without')];
  expect(aware).toBeLessThan(0.1 * unaware);
  // The dozen other days ahead are too few to compare; the backtests have hundreds.
  expect(errorOf(model)).toBeLessThan(errorOf(without));
});

test('a code that is not known is refused, with those that are', async () => {
  expect(await refusal('holidays=DE&holidays=XX')).toMatchObject({
    status: 400,
    errors: [
      {
        pointer: '/query/holidays/1',
        message: expect.stringMatching(/^"XX" is the code of no country.* known are AD, .*DE, /),
      },
    ],
  });
  expect(await refusal('holidays=Germny')).toMatchObject({
    errors: [{ message: expect.stringContaining('did you mean DE (Germany)?') }],
  });
  expect(await refusal('holidays=DE-XX')).toMatchObject({
    errors: [{ message: expect.stringMatching(/of no region of DE .* known are DE-BB, /) }],
  });
  expect(await refusal('holidays=US-LA-XX')).toMatchObject({
    errors: [{ message: expect.stringContaining('known are US-LA-NO') }],
  });
  expect(await refusal('holidays=AD-07-1')).toMatchObject({
    errors: [{ message: expect.stringContaining('there are none: send AD-07') }],
  });
});

test('steps that are longer than a day have no holidays', async () => {
  const weeks = days.filter((_, index) => index % 7 === 0);
  expect(await refusal('holidays=DE', daysCsv(weeks))).toMatchObject({
    status: 422,
    errors: [{ column: 'day', message: expect.stringContaining('Leave out the parameter holidays') }],
  });
});
