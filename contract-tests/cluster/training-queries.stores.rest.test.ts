/** Tests trainings from queries whose choices are those of the next, and whose callers go. */
import { expect, test } from 'vitest';
import { from, SALES, TrainingQueries } from './training-queries.js';

const queries = new TrainingQueries();

test('the task, the uses and marks of columns, the rows that measure, and the effort, are those of the next trainings', async () => {
  const texts = `'1,' || (101 + 7 * (id % 9)) as weight, '0' || (1 + id % 9) || '/05/2025' as seen_on`;
  const query = `select id, size, ${texts}, 1 + id % 2 as grade from sales where id <= 120`;
  const parameters = 'grade&task=classification&exclude=id&as_category=size&decimal_comma=weight&date_order=day-first';
  const last = '&validate=last&validate_by=id&effort=fast';
  expect((await queries.train('grades', from(query), parameters + last)).status).toBe(202);
  const { columns, metrics, ...grades } = await queries.ready('grades');
  expect(grades).toMatchObject({ effort: 'fast' });
  expect(metrics).toMatchObject({ held_out_rows: 24, validation: { method: 'last', column: 'id', from: 97 } });
  expect(columns).toMatchObject([
    { chosen: 'unused' },
    { chosen: 'category' },
    { kind: 'number', min: 1.101, reading: { decimal: ',', decided_by: 'parameters' } },
    { kind: 'date', min: '2025-05-01T00:00:00.000Z', reading: { order: 'day-first', decided_by: 'parameters' } },
  ]);
  expect((await queries.send('POST', queries.address('grades', '/retrain'))).status).toBe(202);
  expect(await queries.ready('grades')).toMatchObject({
    task: 'classification',
    version: 2,
    effort: 'fast',
    columns,
    metrics,
  });
});

test('words for missing values are those of the next trainings', async () => {
  const texts = `case when id % 10 = 0 then 'k.A.' else '' || size end as size, case when id % 12 = 0 then -1 else price end as price`;
  const query = `select ${texts}, case when id % 4 = 0 then 'TBD' else colour end as colour from sales where id <= 120`;
  const words = 'price&missing=TBD&missing_in=size%3Dk.A.&missing_in=price%3D-1';
  expect((await queries.train('words', from(query), words)).status).toBe(202);
  const { columns, reading, row_count } = await queries.ready('words');
  expect({ row_count, left_out: reading?.left_out }).toMatchObject({ row_count: 110, left_out: [{ rows: 10 }] });
  expect(reading).toMatchObject({ missing_words: expect.arrayContaining(['tbd']), target_missing_words: ['-1'] });
  expect(columns).toMatchObject([{ kind: 'number', missing_words: ['k.a.'] }, { kind: 'category' }]);
  expect(columns?.[1]?.categories).not.toContain('TBD');
  expect((await queries.send('POST', queries.address('words', '/retrain'))).status).toBe(202);
  expect(await queries.ready('words')).toMatchObject({ version: 2, columns, reading, row_count });
});

test('a forecast goes on from later rows when it is trained again', async () => {
  const query = 'select id, price from sales where id > 2000 order by id';
  await queries.sell(2001, 60);
  expect((await queries.train('course', from(query), 'price&order_by=id&horizon=2')).status).toBe(202);
  await queries.ready('course');
  await queries.sell(2061, 10);
  expect((await queries.send('POST', queries.address('course', '/retrain'))).status).toBe(202);
  const { version, row_count, task, ...rest } = await queries.ready('course');
  expect({ version, row_count, task }).toEqual({ version: 2, row_count: 70, task: 'forecast' });
  expect(rest).toMatchObject({ order_by: 'id', horizon: 2, series: { last: 2070 } });
  const rows = await (await queries.send('POST', queries.address('course', '/predict'), [])).json();
  expect(rows).toMatchObject([{ id: 2071 }, { id: 2072 }]);
});

test('a missing target does not count in a sum, and the sum of missing ones is missing', async () => {
  await queries.sell(5000, 320);
  const sales = 'case when id % 3 = 0 or id < 5008 then null else 1 end as sales';
  const query = `select id / 4 as day, ${sales} from sales where id between 5000 and 5319`;
  expect((await queries.train('missing', from(query), 'sales&order_by=day&horizon=3&aggregate=sum')).status).toBe(202);
  const { row_count, reading } = await queries.ready('missing');
  expect({ row_count, left_out: reading?.left_out }).toMatchObject({ row_count: 78, left_out: [{ rows: 2 }] });
});

test('callers who go leave no query behind', async () => {
  const endless = from(
    'with recursive n(i) as (select 1 union all select i + 1 from n) select i, i as price from n where i < 0',
  );
  const gone = new AbortController();
  const waiting = [1, 2, 3].map((index) =>
    queries.train(`gone_${index}`, endless, 'price', {
      headers: { ...queries.authorization, 'Content-Type': 'application/json' },
      signal: gone.signal,
    }),
  );
  const ended = expect(Promise.all(waiting)).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 300));
  gone.abort();
  await ended;
  expect((await queries.train('after', from(SALES))).status).toBe(202);
  await queries.ready('after');
});
