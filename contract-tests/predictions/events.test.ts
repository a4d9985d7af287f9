/** Forecasts of rare events: holidays, and those that a column names. Against the server alone. */
import { beforeAll, expect, test } from 'vitest';
import { daysCsv, makeDays } from '../../testkit/data/holiday-days.js';
import { settled } from '../../testkit/service/train-prices.js';
import { ownProject, roster, send, sendJson } from '../target.js';

const KNOWN = 150;
const HORIZON = 3;

const STRIKES = ['01-17', '02-01', '02-12', '02-27', '03-13', '03-28', '04-09', '04-24', '05-13', '05-31'];

/** A strike every two weeks or so; the last one after the end of the table. */
const days = makeDays('2024-01-01', KNOWN + HORIZON, (day) => (STRIKES.includes(day.slice(5)) ? 'strike' : ''));

let projectName: string;
let model: string;
beforeAll(async () => {
  projectName = await ownProject();
  model = `/api/projects/${projectName}/models/strikes`;
});

function put(query: string): Promise<Response> {
  return send(`${model}?target=sales&order_by=day&horizon=${HORIZON}&${query}`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: daysCsv(days.slice(0, KNOWN), ['day', 'event', 'sales']),
  });
}

test('a day that a column known ahead names as one of few is forecast as these were', async () => {
  expect((await put('known=event')).status).toBe(202);
  await settled(roster, { projectName, modelName: 'strikes' });
  const ahead = days.slice(KNOWN);
  const response = await sendJson(
    'POST',
    `${model}/predict?rows=lean`,
    ahead.map(({ day, event }) => ({ day, event })),
  );
  const rows: { sales: number }[] = Object(await response.json());
  const misses = ahead.map(({ sales }, index) => Math.abs((rows[index]?.sales ?? 0) - sales) / sales);
  expect(ahead.filter(({ event }) => event !== '')).toHaveLength(1);
  expect(Math.max(...misses)).toBeLessThan(0.25);
});

test('holidays without the package that lists them are refused, with what to install', async () => {
  const refused = await put('holidays=DE&holidays=DE-BY');
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({
    errors: [{ pointer: '/query/holidays', message: expect.stringContaining('npm install date-holidays@') }],
  });
});

test('holidays are codes, each once, of a forecast', async () => {
  for (const [query, message] of [
    ['holidays=49', 'must be the code of a country or region, such as DE or DE-BY'],
    ['holidays=DE&holidays=DE', expect.any(String)],
    [`holidays=${'A'.repeat(41)}`, expect.any(String)],
    [Array.from({ length: 11 }, (_, index) => `holidays=A${index}`).join('&'), expect.any(String)],
  ] as const) {
    const refused = await put(query);
    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({
      errors: [{ pointer: expect.stringMatching(/^\/query\/holidays/), message }],
    });
  }
  const rows = await send(`${model}?target=sales&holidays=DE`, {
    method: 'PUT',
    headers: { 'Content-Type': 'text/csv' },
    body: daysCsv(days),
  });
  expect(await rows.json()).toMatchObject({ errors: [{ message: 'is for forecasts; send order_by with it' }] });
});
