import { expect, test } from 'vitest';
import { findErrors, readRowsTable, train } from '../index.js';
import type { Outcome } from '../tasks/forecasting/backtest.js';
import { seededRandom } from '../trees/random.js';

const DAY = 86_400_000;

test.each([false, true])('contributions add up to the forecasts of a backtest, with events: %s', (hasEvents) => {
  const random = seededRandom(3);
  const rows = ['north', 'south'].flatMap((shop) =>
    Array.from({ length: 240 }, (_, day) => {
      const isSale = day % 23 === 5;
      const y = 10 + 3 * random() + (day % 7) + (isSale ? 20 * random() : 0);
      return { day: new Date(day * DAY).toISOString().slice(0, 10), shop, sale: hasEvents && isSale ? 'x' : '', y };
    }),
  );
  const goal = { orderBy: 'day', groupBy: ['shop'], known: hasEvents ? ['sale'] : [], horizon: 4 };
  const table = readRowsTable(rows, 'y', { task: goal });
  let outcomes: readonly (readonly Outcome[])[] = [];
  const model = train(table, {
    onBacktest: (ofBacktest) => {
      outcomes = ofBacktest;
    },
  });
  expect('events' in model).toBe(hasEvents);
  const errors = findErrors(table, model, { outcomes });
  expect(errors?.rows.length).toBeGreaterThan(20);
  for (const { contributions, predicted } of errors?.rows ?? []) {
    const sum = contributions.reduce((all, value) => all + value, 0);
    expect(sum).toBeCloseTo(Number(predicted), 9);
  }
});
