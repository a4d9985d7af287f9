import { answered } from 'roster-client';
import { afterAll, expect, test } from 'vitest';
import { type Shop, sqliteShop } from '../../testkit/databases/shop.js';
import { settled } from '../../testkit/service/train-prices.js';
import { browserAndService, expectGoodViewInEachWindow } from './console-page.js';

const QUERY = `select id % 7 as size, price from sales /* ${'long'.repeat(60)} */`;

let shop: Shop | undefined;
const on = browserAndService(
  async (roster) => {
    const path = { projectName: 'default', modelName: 'sales' };
    const put = roster.PUT('/api/projects/{projectName}/models/{modelName}', {
      params: { path, query: { target: 'price' } },
      body: { source: { database: 'shop', query: QUERY } },
    });
    await settled(roster, path, await answered(put));
  },
  async () => {
    shop = await sqliteShop();
    await shop.execute(`create table sales as
      with recursive n(i) as (select 1 union all select i + 1 from n where i < 80)
      select i as id, i % 7 + 0.5 as price from n`);
    const databases = { shop: { url: shop.url, training: ['sales'] } };
    return { DATABASES: JSON.stringify(databases) };
  },
);
afterAll(() => shop?.remove());

test('a model from a query shows it, trains again, and says why not if it cannot', async () => {
  const look = await on.open('/projects/default/models/sales');
  const { page } = look;
  await page.getByText(QUERY).waitFor();
  await expectGoodViewInEachWindow(look);
  await page.getByRole('button', { name: 'Train again' }).click();
  const facts = page.locator('.model-facts');
  await expect.poll(() => facts.innerText()).toMatch(/Version\s+2/);

  await shop?.execute('drop table sales');
  await page.getByRole('button', { name: 'Train again' }).click();
  await page.getByText('The database has no table sales.').waitFor();
  await expectGoodViewInEachWindow(look);
});
