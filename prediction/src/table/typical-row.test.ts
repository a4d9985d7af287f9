import { expect, test } from 'vitest';
import { makeRows, QUICK, readRows } from '../../../testkit/prediction/sample-tables.js';
import { findTypicalRow, train } from '../index.js';

/** Two sizes that go together, a colour, an amount with a unit, a day, and a name that no model uses. */
const rows = makeRows(300, (random, index) => {
  const length = Math.round(1000 * random() ** 3) / 100;
  return {
    length,
    width: Math.round(200 * length) / 100,
    colour: random() < 0.6 ? 'red' : 'blue',
    fee: `${Math.round(100 * random())} €`,
    sold: `2024-0${1 + Math.floor(9 * random())}-11`,
    name: `no ${index}`,
    y: length + random(),
  };
});

test('a typical row is one of the table, near the medians, of the columns that are used', () => {
  const table = readRows(rows, 'y');
  const { columns } = train(table, QUICK);
  const typical = Object.fromEntries(
    findTypicalRow(table, columns).map((value, index) => [columns[index]?.name, value]),
  );
  expect(typical['name']).toBeNull();
  expect(typical['colour']).toBe('red');
  const lengths = rows.map(({ length }) => Number(length)).sort((a, b) => a - b);
  const rank = lengths.filter((length) => length <= Number(typical['length'])).length / 300;
  expect(rank).toBeGreaterThan(0.35);
  expect(rank).toBeLessThan(0.65);
  // All of its values stand together in one row.
  const found = rows.filter(
    ({ length, width, colour, fee, sold }) =>
      length === typical['length'] &&
      width === typical['width'] &&
      colour === typical['colour'] &&
      fee === `${typical['fee']} €` &&
      typical['sold'] === `${sold}T00:00:00.000Z`,
  );
  expect(found).not.toHaveLength(0);
});

test('a column that is missing in most rows is missing in a typical one', () => {
  const gaps = makeRows(200, (random, index) => {
    const x = random();
    return { x, rare: index % 5 === 0 ? random() : '', y: x + random() };
  });
  const table = readRows(gaps, 'y');
  const [x, rare] = findTypicalRow(table, train(table, QUICK).columns);
  expect(x).toBeGreaterThan(0.3);
  expect(rare).toBeNull();
});
