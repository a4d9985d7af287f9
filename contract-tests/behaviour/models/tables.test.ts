/** Tests of tables that are large, or many at once. Against the server alone. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { settled } from '../../../testkit/service/train-prices.js';
import { csv, sendTable } from '../../sent-tables.js';
import { objectOf, ownProject, roster } from '../../target.js';

const ONE = '/api/projects/{projectName}/models/{modelName}';

let path: { projectName: string; modelName: string };
beforeEach(async () => {
  path = { projectName: await ownProject(), modelName: 'm' };
});
afterEach(() => roster.DELETE(ONE, { params: { path } }));

const good = Array.from({ length: 60 }, (_, row) => ({ x: row % 7, y: row }));

test('a CSV table may be larger than other bodies', async () => {
  // As many bytes in fewer rows train the same way, and are read faster.
  const long = 'x'.repeat(4000);
  const response = await sendTable(
    path,
    'text/csv',
    csv('text,x,y', 10_000, (row) => `${long} ${row % 500},${row % 7},${row % 100}`),
  );
  expect(response.status).toBe(202);
  const model = await objectOf(response);
  expect(model).toMatchObject({ row_count: 10_000 });
});

test('many concurrent tables are all read, and other requests are served meanwhile', async () => {
  const models = Array.from({ length: 6 }, (_, index) => ({ ...path, modelName: `m${index}` }));
  const trained = await Promise.all(
    models.map(async (model) => {
      const params = { path: model, query: { target: 'y' } };
      const { data } = await roster.PUT(ONE, { params, body: good });
      if (data === undefined) throw new Error('The table was refused');
      return settled(roster, model, data);
    }),
  );
  expect(trained.map(({ status }) => status)).toEqual(models.map(() => 'ready'));
});

test('a training can be cancelled while its table is uploaded, and another one can begin at once', async () => {
  const row = (index: number) => `${index % 977},${index / 7},${index % 89}`;
  for (let round = 0; round < 3; round++) {
    const response = await sendTable(path, 'text/csv', csv('a,b,y', 20_000, row));
    expect(response.status).toBe(202);
    const removed = await roster.DELETE(ONE, { params: { path } });
    expect(removed.response.status).toBe(204);
  }
  const { data } = await roster.PUT(ONE, {
    params: { path, query: { target: 'y' } },
    body: good,
  });
  if (data === undefined) throw new Error('The table was refused');
  expect(await settled(roster, path, data)).toMatchObject({ status: 'ready', version: 1 });
});
