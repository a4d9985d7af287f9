/** Tests trainings from queries, and those that are refused. */
import { expect, test } from 'vitest';
import { checkedFetch } from '../checked-fetch.js';
import { EXAMPLE, from, isSqlite, SALES, salesFrom, TrainingQueries } from './training-queries.js';

/** The sales, once for each order. */
const MANY_SALES = 'select size, colour, sold_on, price from sales cross join orders limit 6000';

/** So many orders that a training lasts longer than the way of a request to another instance. */
const MANY_ORDERS = 'insert into orders (id, customer_id) select 1000 + id, 1 from sales where id <= 50';

const queries = new TrainingQueries();

test('a model from a query is the one from the same rows, and trains again from later rows', async () => {
  const begun = await queries.train('sales', from(SALES));
  expect([begun.status, begun.headers.get('Location')]).toEqual([202, queries.address('sales')]);
  const rows = salesFrom(1, 120).map(({ id: _, ...row }) => row);
  expect((await queries.train('sent', rows)).status).toBe(202);
  const [queried, sent] = await Promise.all([queries.ready('sales'), queries.ready('sent')]);
  expect(queried).toMatchObject({ source: from(SALES).source, row_count: 120, checksum: sent.checksum });
  expect(sent.source).toBeNull();

  await queries.sell(1001, 30);
  const again = await queries.send('POST', queries.address('sales', '/retrain'));
  expect(again.status).toBe(202);
  expect(again.headers.get('Location')).toBe(queries.address('sales'));
  const { version, source, target, row_count } = await queries.ready('sales');
  expect({ version, source, target, row_count }).toEqual({
    version: 2,
    source: queried.source,
    target: 'price',
    row_count: 150,
  });
});

test.each([
  ['sum', 2],
  ['mean', 1],
])(
  'rows of one moment and series become their %s in the database, also when it is trained again',
  async (method, factor) => {
    const moments = `select id / 4 as day, 'shop ' || (id % 2) as shop, colour, id / 4 % 7 + 2 * (id % 2) as sales`;
    const query = `${moments} from sales where id between 4000 and 4319 order by id; -- semicolons and comments may end it\n`;
    if (method === 'sum') await queries.sell(4000, 320);
    const parameters = `sales&order_by=day&group_by=shop&horizon=3&aggregate=${method}`;
    const name = `totals_${method}`;
    expect((await queries.train(name, from(query), parameters)).status).toBe(202);
    const { checksum, ...model } = await queries.ready(name);
    expect(model).toMatchObject({ row_count: 160, aggregate: method, series: { count: 2, first: 1000, last: 1079 } });
    expect((await queries.send('POST', queries.address(name, '/retrain'))).status).toBe(202);
    expect(await queries.ready(name)).toMatchObject({ version: 2, checksum, aggregate: method });
    const backtest = await queries.send('POST', queries.address(name, '/predict?backtest=1&steps=1'), []);
    // A day and shop has two rows.
    const sales = (day: number, shop: number) => ((day % 7) + 2 * shop) * factor;
    expect(await backtest.json()).toMatchObject([
      { day: 1079, shop: 'shop 0', sales_original: sales(1079, 0) },
      { day: 1079, shop: 'shop 1', sales_original: sales(1079, 1) },
    ]);
  },
);

test.each([
  ['select id as day, colour as price from sales', isSqlite ? 'it has the text \\"c' : 'sum(text) does not exist'],
  ['select id as week, price from sales', 'day'],
  ['select id as day, price from sales) as x, (select 1 as y', isSqlite ? 'near \\")\\"' : 'syntax error'],
  ['select id as day, price from sales; select 1', 'one SELECT'],
  ['select id as day, total as price from customers', 'The table customers may not be read here'],
])('the sums of %s are refused', async (query, message) => {
  const answer = await queries.refusal(from(query), 'price&order_by=day&horizon=3&aggregate=sum');
  expect(answer).toMatchObject({ status: 422, type: '/problems/query-failed' });
  expect(JSON.stringify(answer)).toContain(message);
});

test.each([
  ['price&aggregate=sum', 'is for forecasts; send order_by with it'],
  ['price&order_by=id&horizon=2&known=size&aggregate=sum', 'does not go with known'],
  ['price&order_by=id&horizon=2&aggregate=max', 'must be one of sum, mean'],
])('the parameters %s are refused', async (parameters, message) => {
  expect(await queries.refusal(from(SALES), parameters)).toMatchObject({
    status: 400,
    errors: [{ pointer: '/query/aggregate', message: expect.stringContaining(message) }],
  });
});

test('rows of one moment are refused with the parameter that aggregates them, which rows that are sent lack', async () => {
  const query = 'select id / 4 as day, price from sales';
  const answer = await queries.refusal(from(query), 'price&order_by=day&horizon=3');
  expect(answer).toMatchObject({ status: 422, errors: [{ message: expect.stringContaining('aggregate=sum') }] });
  const sent = await queries.refusal(salesFrom(1, 60), 'price&order_by=id&horizon=2&aggregate=sum');
  const message =
    'is for a query of a database, which aggregates its rows; send one row for each step of a series instead';
  expect(sent).toMatchObject({ status: 400, errors: [{ pointer: '/query/aggregate', message }] });
});

test('conditions and sources are checked before a query runs', async () => {
  const rows = salesFrom(1, 60);
  await queries.train('uploaded', rows);
  await queries.ready('uploaded');
  const refused = await queries.send('POST', queries.address('uploaded', '/retrain'));
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ type: '/problems/no-source' });
  const init = { headers: { ...queries.authorization, 'If-Match': '"o8hHqKZl3mYw2sX0Jt5cVQ"' } };
  expect((await queries.send('POST', queries.address('uploaded', '/retrain'), undefined, init)).status).toBe(412);
  expect((await queries.send('POST', queries.address('nothing', '/retrain'))).status).toBe(404);
});

test.each([
  ['delete from sales', 'Only'],
  ['select * from customers', 'The table customers may not be read here; these may: sales, orders.'],
  ['select 1; select 2', 'Only one SELECT'],
  ['pragma table_info(sales)', ''],
  ['select price2 from sales', 'price2'],
  ['select from from', 'syntax error'],
  ['select \ud800', 'a character that is not allowed'],
])('the query %s is refused, and the database is as before', async (query, reason) => {
  const before = await queries.shop.values('select count(*) from sales');
  expect(await queries.refusal(from(query))).toMatchObject({
    status: 422,
    type: '/problems/query-failed',
    detail: expect.stringContaining(reason),
  });
  expect(await queries.shop.values('select count(*) from sales')).toEqual(before);
});

test.each(['closed', 'foreign', 'nothing'])('the database %s is not open', async (database) => {
  expect(await queries.refusal(from(SALES, database))).toMatchObject({
    status: 422,
    detail: expect.stringMatching(new RegExp(`no database with the name "${database}" .*; there are sales, gone\\.`)),
  });
});

test('a database that cannot be reached is one to ask again', async () => {
  const answer = await queries.refusal(from(SALES, 'gone'));
  expect(answer).toMatchObject({ status: 503, type: '/problems/service-unavailable' });
  expect(JSON.stringify(answer)).not.toContain('nowhere');
});

test.each([
  ['select size, price from sales where id < 0', 'price', 'no rows'],
  ['select size, colour from sales', 'price', 'no column \\"price\\"'],
  ['select size, size, price from sales', 'price', 'Two columns are named \\"size\\"'],
  ['select price from sales', 'price', 'only column'],
  ['select size, price from sales limit 10', 'price', 'At least 50'],
])('the rows of %s are an unusable table', async (query, target, message) => {
  const answer = await queries.refusal(from(query), target);
  expect(answer).toMatchObject({ status: 422, type: '/problems/unusable-table' });
  expect(JSON.stringify(answer)).toContain(message);
});

test.each([
  [{}, ['/body']],
  [{ source: [] }, ['/body/source']],
  [{ source: { database: 'sales' } }, ['/body/source/query']],
  [{ source: { database: 1, query: '' } }, ['/body/source/database', '/body/source/query']],
  [{ source: { database: '-', query: 'a\0' } }, ['/body/source/database', '/body/source/query']],
  [{ data: [], source: { database: 'sales', query: 'select 1', 'a/b': 1 } }, ['/body/data', '/body/source/a~1b']],
  [{ source: { database: 'sales', query: 'x'.repeat(16_385) } }, ['/body/source/query']],
  [{ data: 'x'.repeat(65_536) }, ['/body']],
])('the body %j is refused at its places', async (body, pointers) => {
  const { status, errors } = await queries.refusal(body);
  expect(status).toBe(400);
  expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
});

test('an object that breaks off is malformed JSON', async () => {
  expect(await queries.refusal(' \n {"source": ')).toMatchObject({ type: '/problems/malformed-body' });
});

test('of trainings that two instances begin at once, one is refused', async () => {
  await queries.train('twice', from(MANY_SALES));
  await queries.ready('twice');
  await queries.shop.execute(MANY_ORDERS);
  const retrain = async () => {
    const answers = await Promise.all(
      queries.both.map(({ url }) =>
        checkedFetch(
          new Request(url + queries.address('twice', '/retrain'), { method: 'POST', headers: queries.authorization }),
        ),
      ),
    );
    return answers.map(({ status }) => status).sort();
  };
  let version = 2;
  let statuses = await retrain();
  // The first may have been done before the other instance came to it.
  for (; statuses.every((status) => status === 202); statuses = await retrain()) {
    await queries.ready('twice');
    version += 2;
  }
  // Where SQLite is locked by the one for too long, the other gets an answer that asks to try again.
  const refused = [409, ...(isSqlite ? [503] : [])];
  expect(statuses).toEqual([202, expect.toBeOneOf(refused)]);
  expect(await (await queries.send('GET', queries.address('twice'))).json()).toMatchObject({ version });
  expect((await queries.send('DELETE', queries.address('twice'))).status).toBe(204);
});

test('a table that is gone or empty ends no model', async () => {
  await queries.train('kept', from(EXAMPLE));
  const { checksum } = await queries.ready('kept');
  await queries.shop.execute('alter table sales rename to sold');
  const refused = await queries.send('POST', queries.address('kept', '/retrain'));
  await queries.shop.execute('create table sales as select * from sold where id < 0');
  const empty = await queries.send('POST', queries.address('kept', '/retrain'));
  await queries.shop.execute('drop table sales');
  await queries.shop.execute('alter table sold rename to sales');
  expect(await empty.json()).toMatchObject({
    errors: [{ message: 'The table has no rows. At least 50 with a target are needed.' }],
  });
  expect(await refused.json()).toMatchObject({
    status: 422,
    type: '/problems/query-failed',
    detail: 'The database has no table sales.',
  });
  expect(await queries.ready('kept')).toMatchObject({ version: 1, checksum });
});
