/** Tests trainings from queries, on two instances that share a store. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Model } from 'roster-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Shop } from '../../testkit/databases/shop.js';
import { untilReadyAt } from '../../testkit/service/train-prices.js';
import { makeKey } from '../../testkit/store/keys.js';
import { checkedFetch } from '../checked-fetch.js';
import { ON_POSTGRES, testedShop } from '../tested-store.js';
import { type Instance, startInstance, startTwo } from './instance.js';

/** The query of the contract's example, whose promise is recorded here, and one whose rows are in an order. */
const EXAMPLE = 'select size, colour, sold_on, price from sales';
const SALES = `${EXAMPLE} order by id`;

/** The sales, once for each order. */
const MANY_SALES = 'select size, colour, sold_on, price from sales cross join orders limit 6000';

/** So many orders that a training lasts longer than the way of a request to another instance. */
const MANY_ORDERS = 'insert into orders (id, customer_id) select 1000 + id, 1 from sales where id <= 50';

/** Returns rows of sales, in which the price depends on the size. */
const salesFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, index) => {
    const id = first + index;
    return {
      id,
      size: (id * 7) % 13,
      colour: id % 5 === 0 ? null : `c${id % 3}`,
      sold_on: `2026-01-${String((id % 28) + 1).padStart(2, '0')}`,
      price: ((id * 7) % 13) + 0.25,
    };
  });

const isSqlite = !ON_POSTGRES;

describe('trainings from queries', () => {
  let folder: string;
  let shop: Shop;
  let both: [Instance, Instance];
  let authorization: Record<string, string>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'roster-queries-'));
    shop = await testedShop();
    await shop.execute(
      `create table sales (id integer primary key, size integer, colour text, sold_on ${isSqlite ? 'text' : 'date'}, price ${isSqlite ? 'real' : 'numeric(8, 2)'})`,
    );
    await sell(1, 120);
    const open = { url: shop.url, training: ['sales', 'orders'] };
    const databases = {
      sales: open,
      closed: shop.url,
      foreign: { ...open, owners: ['acme'] },
      gone: { ...open, url: 'file:/nowhere/shop.db' },
    };
    const store = isSqlite ? `file:${join(folder, 'roster.db')}` : shop.url;
    const env = { DATABASE_URL: store, DATABASES: JSON.stringify(databases) };
    authorization = { Authorization: `Bearer ${await makeKey(store, { name: 'own' })}` };
    // A file of SQLite has one service.
    const one = isSqlite ? await startInstance({ env }) : undefined;
    both = one ? [one, one] : await startTwo({ env });
  });
  afterAll(async () => {
    await Promise.all(both.map((instance) => instance.kill()));
    await shop.remove();
    await rm(folder, { recursive: true });
  });

  async function sell(first: number, count: number): Promise<void> {
    const values = salesFrom(first, count).map(
      ({ id, size, colour, sold_on, price }) =>
        `(${id}, ${size}, ${colour === null ? 'null' : `'${colour}'`}, '${sold_on}', ${price})`,
    );
    await shop.execute(`insert into sales values ${values.join(', ')}`);
  }

  const address = (name: string, more = '') => `/api/projects/default/models/${name}${more}`;

  const send = (method: string, path: string, body?: unknown, init: RequestInit = {}) =>
    checkedFetch(
      new Request(both[0].url + path, {
        method,
        headers: { ...authorization, 'Content-Type': 'application/json' },
        ...init,
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    );

  const train = (name: string, body: unknown, target = 'price', init?: RequestInit) =>
    send('PUT', address(name, `?target=${target}`), body, init);

  const from = (query: string, database = 'sales') => ({ source: { database, query } });

  const ready = async (name: string): Promise<Model> => {
    await untilReadyAt(both[0].url + address(name), authorization);
    return JSON.parse(await (await send('GET', address(name))).text());
  };

  /** Returns the problem of a refused training, after which there is no model. */
  const refusal = async (body: unknown, target?: string) => {
    const refused = await train('refused', body, target);
    expect((await send('GET', address('refused'))).status).toBe(404);
    return { status: refused.status, ...JSON.parse(await refused.text()) };
  };

  test('a model from a query is the one from the same rows, and trains again from later rows', async () => {
    const begun = await train('sales', from(SALES));
    expect([begun.status, begun.headers.get('Location')]).toEqual([202, address('sales')]);
    const rows = salesFrom(1, 120).map(({ id: _, ...row }) => row);
    expect((await train('sent', rows)).status).toBe(202);
    const [queried, sent] = await Promise.all([ready('sales'), ready('sent')]);
    expect(queried).toMatchObject({ source: from(SALES).source, row_count: 120, checksum: sent.checksum });
    expect(sent.source).toBeNull();

    await sell(1001, 30);
    const again = await send('POST', address('sales', '/retrain'));
    expect(again.status).toBe(202);
    expect(again.headers.get('Location')).toBe(address('sales'));
    const { version, source, target, row_count } = await ready('sales');
    expect({ version, source, target, row_count }).toEqual({
      version: 2,
      source: queried.source,
      target: 'price',
      row_count: 150,
    });
  });

  test('the task, the uses and marks of columns, the rows that measure, and the effort, are those of the next trainings', async () => {
    const texts = `'1,' || (101 + 7 * (id % 9)) as weight, '0' || (1 + id % 9) || '/05/2025' as seen_on`;
    const query = `select id, size, ${texts}, 1 + id % 2 as grade from sales where id <= 120`;
    const parameters =
      'grade&task=classification&exclude=id&as_category=size&decimal_comma=weight&date_order=day-first';
    const last = '&validate=last&validate_by=id&effort=fast';
    expect((await train('grades', from(query), parameters + last)).status).toBe(202);
    const { columns, metrics, ...grades } = await ready('grades');
    expect(grades).toMatchObject({ effort: 'fast' });
    expect(metrics).toMatchObject({ held_out_rows: 24, validation: { method: 'last', column: 'id', from: 97 } });
    expect(columns).toMatchObject([
      { chosen: 'unused' },
      { chosen: 'category' },
      { kind: 'number', min: 1.101, reading: { decimal: ',', decided_by: 'parameters' } },
      { kind: 'date', min: '2025-05-01T00:00:00.000Z', reading: { order: 'day-first', decided_by: 'parameters' } },
    ]);
    expect((await send('POST', address('grades', '/retrain'))).status).toBe(202);
    expect(await ready('grades')).toMatchObject({
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
    expect((await train('words', from(query), words)).status).toBe(202);
    const { columns, reading, row_count } = await ready('words');
    expect({ row_count, left_out: reading?.left_out }).toMatchObject({ row_count: 110, left_out: [{ rows: 10 }] });
    expect(reading).toMatchObject({ missing_words: expect.arrayContaining(['tbd']), target_missing_words: ['-1'] });
    expect(columns).toMatchObject([{ kind: 'number', missing_words: ['k.a.'] }, { kind: 'category' }]);
    expect(columns?.[1]?.categories).not.toContain('TBD');
    expect((await send('POST', address('words', '/retrain'))).status).toBe(202);
    expect(await ready('words')).toMatchObject({ version: 2, columns, reading, row_count });
  });

  test('a forecast goes on from later rows when it is trained again', async () => {
    const query = 'select id, price from sales where id > 2000 order by id';
    await sell(2001, 60);
    expect((await train('course', from(query), 'price&order_by=id&horizon=2')).status).toBe(202);
    await ready('course');
    await sell(2061, 10);
    expect((await send('POST', address('course', '/retrain'))).status).toBe(202);
    const { version, row_count, task, ...rest } = await ready('course');
    expect({ version, row_count, task }).toEqual({ version: 2, row_count: 70, task: 'forecast' });
    expect(rest).toMatchObject({ order_by: 'id', horizon: 2, series: { last: 2070 } });
    const rows = await (await send('POST', address('course', '/predict'), [])).json();
    expect(rows).toMatchObject([{ id: 2071 }, { id: 2072 }]);
  });

  test.each([
    ['sum', 2],
    ['mean', 1],
  ])(
    'rows of one moment and series become their %s in the database, also when it is trained again',
    async (method, factor) => {
      const moments = `select id / 4 as day, 'shop ' || (id % 2) as shop, colour, id / 4 % 7 + 2 * (id % 2) as sales`;
      const query = `${moments} from sales where id between 4000 and 4319 order by id; -- semicolons and comments may end it\n`;
      if (method === 'sum') await sell(4000, 320);
      const parameters = `sales&order_by=day&group_by=shop&horizon=3&aggregate=${method}`;
      const name = `totals_${method}`;
      expect((await train(name, from(query), parameters)).status).toBe(202);
      const { checksum, ...model } = await ready(name);
      expect(model).toMatchObject({ row_count: 160, aggregate: method, series: { count: 2, first: 1000, last: 1079 } });
      expect((await send('POST', address(name, '/retrain'))).status).toBe(202);
      expect(await ready(name)).toMatchObject({ version: 2, checksum, aggregate: method });
      const backtest = await send('POST', address(name, '/predict?backtest=1&steps=1'), []);
      // A day and shop has two rows.
      const sales = (day: number, shop: number) => ((day % 7) + 2 * shop) * factor;
      expect(await backtest.json()).toMatchObject([
        { day: 1079, shop: 'shop 0', sales_original: sales(1079, 0) },
        { day: 1079, shop: 'shop 1', sales_original: sales(1079, 1) },
      ]);
    },
  );

  test('a missing target does not count in a sum, and the sum of missing ones is missing', async () => {
    await sell(5000, 320);
    const sales = 'case when id % 3 = 0 or id < 5008 then null else 1 end as sales';
    const query = `select id / 4 as day, ${sales} from sales where id between 5000 and 5319`;
    expect((await train('missing', from(query), 'sales&order_by=day&horizon=3&aggregate=sum')).status).toBe(202);
    const { row_count, reading } = await ready('missing');
    expect({ row_count, left_out: reading?.left_out }).toMatchObject({ row_count: 78, left_out: [{ rows: 2 }] });
  });

  test.each([
    ['select id as day, colour as price from sales', isSqlite ? 'it has the text \\"c' : 'sum(text) does not exist'],
    ['select id as week, price from sales', 'day'],
    ['select id as day, price from sales) as x, (select 1 as y', isSqlite ? 'near \\")\\"' : 'syntax error'],
    ['select id as day, price from sales; select 1', 'one SELECT'],
    ['select id as day, total as price from customers', 'The table customers may not be read here'],
  ])('the sums of %s are refused', async (query, message) => {
    const answer = await refusal(from(query), 'price&order_by=day&horizon=3&aggregate=sum');
    expect(answer).toMatchObject({ status: 422, type: '/problems/query-failed' });
    expect(JSON.stringify(answer)).toContain(message);
  });

  test.each([
    ['price&aggregate=sum', 'is for forecasts; send order_by with it'],
    ['price&order_by=id&horizon=2&known=size&aggregate=sum', 'does not go with known'],
    ['price&order_by=id&horizon=2&aggregate=max', 'must be one of sum, mean'],
  ])('the parameters %s are refused', async (parameters, message) => {
    expect(await refusal(from(SALES), parameters)).toMatchObject({
      status: 400,
      errors: [{ pointer: '/query/aggregate', message: expect.stringContaining(message) }],
    });
  });

  test('rows of one moment are refused with the parameter that aggregates them, which rows that are sent lack', async () => {
    const query = 'select id / 4 as day, price from sales';
    const answer = await refusal(from(query), 'price&order_by=day&horizon=3');
    expect(answer).toMatchObject({ status: 422, errors: [{ message: expect.stringContaining('aggregate=sum') }] });
    const sent = await refusal(salesFrom(1, 60), 'price&order_by=id&horizon=2&aggregate=sum');
    const message =
      'is for a query of a database, which aggregates its rows; send one row for each step of a series instead';
    expect(sent).toMatchObject({ status: 400, errors: [{ pointer: '/query/aggregate', message }] });
  });

  test('of trainings that two instances begin at once, one is refused', async () => {
    await train('twice', from(MANY_SALES));
    await ready('twice');
    await shop.execute(MANY_ORDERS);
    const retrain = async () => {
      const answers = await Promise.all(
        both.map(({ url }) =>
          checkedFetch(new Request(url + address('twice', '/retrain'), { method: 'POST', headers: authorization })),
        ),
      );
      return answers.map(({ status }) => status).sort();
    };
    let version = 2;
    let statuses = await retrain();
    // The first may have been done before the other instance came to it.
    for (; statuses.every((status) => status === 202); statuses = await retrain()) {
      await ready('twice');
      version += 2;
    }
    // Where SQLite is locked by the one for too long, the other gets an answer that asks to try again.
    const refused = [409, ...(isSqlite ? [503] : [])];
    expect(statuses).toEqual([202, expect.toBeOneOf(refused)]);
    expect(await (await send('GET', address('twice'))).json()).toMatchObject({ version });
    expect((await send('DELETE', address('twice'))).status).toBe(204);
  });

  test('conditions and sources are checked before a query runs', async () => {
    const rows = salesFrom(1, 60);
    await train('uploaded', rows);
    await ready('uploaded');
    const refused = await send('POST', address('uploaded', '/retrain'));
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ type: '/problems/no-source' });
    const init = { headers: { ...authorization, 'If-Match': '"o8hHqKZl3mYw2sX0Jt5cVQ"' } };
    expect((await send('POST', address('uploaded', '/retrain'), undefined, init)).status).toBe(412);
    expect((await send('POST', address('nothing', '/retrain'))).status).toBe(404);
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
    const before = await shop.values('select count(*) from sales');
    expect(await refusal(from(query))).toMatchObject({
      status: 422,
      type: '/problems/query-failed',
      detail: expect.stringContaining(reason),
    });
    expect(await shop.values('select count(*) from sales')).toEqual(before);
  });

  test.each(['closed', 'foreign', 'nothing'])('the database %s is not open', async (database) => {
    expect(await refusal(from(SALES, database))).toMatchObject({
      status: 422,
      detail: expect.stringMatching(new RegExp(`no database with the name "${database}" .*; there are sales, gone\\.`)),
    });
  });

  test('a database that cannot be reached is one to ask again', async () => {
    const answer = await refusal(from(SALES, 'gone'));
    expect(answer).toMatchObject({ status: 503, type: '/problems/service-unavailable' });
    expect(JSON.stringify(answer)).not.toContain('nowhere');
  });

  test('a table that is gone or empty ends no model', async () => {
    await train('kept', from(EXAMPLE));
    const { checksum } = await ready('kept');
    await shop.execute('alter table sales rename to sold');
    const refused = await send('POST', address('kept', '/retrain'));
    await shop.execute('create table sales as select * from sold where id < 0');
    const empty = await send('POST', address('kept', '/retrain'));
    await shop.execute('drop table sales');
    await shop.execute('alter table sold rename to sales');
    expect(await empty.json()).toMatchObject({
      errors: [{ message: 'The table has no rows. At least 50 with a target are needed.' }],
    });
    expect(await refused.json()).toMatchObject({
      status: 422,
      type: '/problems/query-failed',
      detail: 'The database has no table sales.',
    });
    expect(await ready('kept')).toMatchObject({ version: 1, checksum });
  });

  test.each([
    ['select size, price from sales where id < 0', 'price', 'no rows'],
    ['select size, colour from sales', 'price', 'no column \\"price\\"'],
    ['select size, size, price from sales', 'price', 'Two columns are named \\"size\\"'],
    ['select price from sales', 'price', 'only column'],
    ['select size, price from sales limit 10', 'price', 'At least 50'],
  ])('the rows of %s are an unusable table', async (query, target, message) => {
    const answer = await refusal(from(query), target);
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
    const { status, errors } = await refusal(body);
    expect(status).toBe(400);
    expect(errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual(pointers);
  });

  test('an object that breaks off is malformed JSON', async () => {
    expect(await refusal(' \n {"source": ')).toMatchObject({ type: '/problems/malformed-body' });
  });

  test('callers who go leave no query behind', async () => {
    const endless = from(
      'with recursive n(i) as (select 1 union all select i + 1 from n) select i, i as price from n where i < 0',
    );
    const gone = new AbortController();
    const waiting = [1, 2, 3].map((index) =>
      train(`gone_${index}`, endless, 'price', {
        headers: { ...authorization, 'Content-Type': 'application/json' },
        signal: gone.signal,
      }),
    );
    const ended = expect(Promise.all(waiting)).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 300));
    gone.abort();
    await ended;
    expect((await train('after', from(SALES))).status).toBe(202);
    await ready('after');
  });
});
