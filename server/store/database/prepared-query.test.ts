import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Parameter, PreparedQuery } from './dialect.js';
import { openSqlite } from './sqlite.js';

type Opened = Awaited<ReturnType<typeof openSqlite>>;

let db: Opened['databases']['reads'];
beforeEach(async () => {
  const { databases } = await openSqlite(':memory:');
  db = databases.reads;
});
afterEach(() => db.destroy());

test('builds a query once, whatever values it is executed with', async () => {
  let builds = 0;
  const find = new PreparedQuery((db, parameter: Parameter<{ name: string }>) => {
    builds += 1;
    return db
      .selectFrom('projects')
      .select(['owner', 'name'])
      .where('owner', '=', 'local')
      .where('name', '=', parameter('name'));
  });
  const found = [
    await find.first(db, { name: 'default' }),
    await find.all(db, { name: 'missing' }),
    await db.transaction().execute((db) => find.all(db, { name: 'default' })),
  ];
  const project = { owner: 'local', name: 'default' };
  expect(found).toEqual([project, [], [project]]);
  expect(builds).toBe(1);
});

test('gives each parameter its value, in whatever order they are named', async () => {
  const values = new PreparedQuery((db, parameter: Parameter<{ a: string; b: number }>) =>
    db
      .selectFrom('projects')
      .select(parameter('b').as('first'))
      .select(parameter('a').as('second'))
      .select(parameter('b').as('third')),
  );
  expect(await values.first(db, { a: 'x', b: 1 })).toEqual({ first: 1, second: 'x', third: 1 });
});
