/** Tests of rows that are left out by `drop_lines`. */
import type { Model } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { hundredLines } from '../sent-tables.js';
import { ownProject, send } from '../target.js';

/** Sends a table of 100 rows with some dropped. */
async function drop(query: string, body = hundredLines('x,y', (row) => `${row % 9},${row}`), type = 'text/csv') {
  const effort = query.includes('order_by') ? '' : '&effort=fast';
  const response = await send(`/api/projects/${await ownProject()}/models/m?target=y${effort}&${query}`, {
    method: 'PUT',
    headers: { 'Content-Type': type },
    body,
  });
  // The fields of a model, or of a refusal, that the tests read.
  const answered = (await response.json()) as Pick<Model, 'reading'> & {
    errors: { message: string; pointer?: string }[];
  };
  return { status: response.status, body: answered };
}

describe('drop_lines', () => {
  test('leaves out ranges, also where they overlap', async () => {
    const { status, body } = await drop('drop_lines=11-20&drop_lines=20&drop_lines=18-22');
    const places = Array.from({ length: 10 }, (_, index) => ({ line: 11 + index }));
    expect([status, body.reading]).toMatchObject([202, { rows_used: 88, left_out: [{ rows: 12, places }] }]);
  });

  test('leaves out a line of another form, which no table may have otherwise', async () => {
    const body = `${hundredLines('x,y', (row) => `${row % 9},${row}`)}\nTotal 4950\n`;
    expect((await drop('drop_lines=102', body)).body.reading).toMatchObject({ rows_sent: 101, rows_used: 100 });
    const list = JSON.stringify([...Array.from({ length: 100 }, (_, row) => ({ x: row % 9, y: row })), 'Total 4950']);
    const { body: model } = await drop('drop_lines=100', list, 'application/json');
    expect(model.reading).toMatchObject({ rows_sent: 101, rows_used: 100 });
  });

  test.each([
    ['the header', 'drop_lines=1', 422, 'names 1, where no row'],
    ['a line behind the end', 'drop_lines=101&drop_lines=900-905', 422, 'names 900-905, where no row'],
    ['a range that ends before it begins', 'drop_lines=9-7', 400, '9-7'],
    ['what is no number', 'drop_lines=last', 400, 'drop_lines'],
  ])('refuses %s', async (_, query, expected, words) => {
    const { status, body } = await drop(query);
    expect(status).toBe(expected);
    expect(JSON.stringify(body.errors)).toContain(words);
  });

  test('refuses rows of a query, which have no order', async () => {
    const source = JSON.stringify({ source: { database: 'sales', query: 'select 1' } });
    const { status, body } = await drop('drop_lines=7', source, 'application/json');
    expect([status, body.errors[0]]).toMatchObject([400, { pointer: '/query/drop_lines' }]);
  });

  test('leaves out rows of a forecast', async () => {
    const day = (row: number) => new Date(Date.UTC(2026, 0, 1 + row)).toISOString().slice(0, 10);
    const body = hundredLines('when,y', (row) => (row === 99 ? 'Total,4950' : `${day(row)},${row % 7}`));
    const { body: model } = await drop('order_by=when&horizon=7&drop_lines=101', body);
    expect(model.reading).toMatchObject({ rows_used: 99, left_out: [{ cause: 'dropped', places: [{ line: 101 }] }] });
  });
});
