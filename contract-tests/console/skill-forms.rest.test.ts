import { describe, expect, test } from 'vitest';
import { trainPrices } from '../../testkit/service/train-prices.js';
import { browserAndService, expectGoodViewInEachWindow, goTo } from './console-page.js';

const NEW_SKILL = '/projects/default/skills/~new';

describe('the form of a skill', () => {
  const on = browserAndService(async (roster) => {
    const path = { projectName: 'default', modelName: 'prices' };
    await trainPrices(roster, path);
    await trainPrices(roster, path);
  });

  const skillOf = async (name: string) => {
    const path = { project_name: 'default', skill_name: name };
    const { data } = await on.roster.GET('/projects/{project_name}/skills/{skill_name}', { params: { path } });
    return data;
  };

  test('has the fields of its type, above the JSON that they make', async () => {
    const look = await on.open(NEW_SKILL);
    const { page } = look;
    await page.getByLabel('Name', { exact: true }).fill('price');
    await page.getByLabel('Type').fill('model');
    await page.getByRole('radio', { name: 'prices' }).check();
    await page.getByLabel('Version').selectOption('Version 1');
    await page.getByLabel('Description').fill('Estimates prices.');
    const json = page.getByLabel('Params');
    expect(JSON.parse(await json.inputValue())).toEqual({
      model: 'prices',
      version: 1,
      description: 'Estimates prices.',
    });
    await json.fill('{"model": "prices", "own": [1]');
    await page.getByText('appear when the JSON beneath is valid').waitFor();
    await json.fill('{"model": "prices", "own": [1]}');
    await page.getByLabel('Version').selectOption('The version that serves');
    await page.getByLabel('Description').fill('Again.');
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Create the skill' }).click();
    await page.getByText('The skill is created.').waitFor();
    expect((await skillOf('price'))?.params).toEqual({ model: 'prices', own: [1], description: 'Again.' });

    await goTo(page, NEW_SKILL, 'New skill');
    await page.getByLabel('Name', { exact: true }).fill('sales');
    await page.getByLabel('Type').fill('sql');
    await page.getByLabel('Tables').pressSequentially('orders, customers');
    expect(JSON.parse(await json.inputValue())).toEqual({ tables: ['orders', 'customers'] });
    await page.getByLabel('Database').fill('sales');
    await page.getByRole('button', { name: 'Create the skill' }).click();
    await page.getByText('The skill is created.').waitFor();
    await expect.poll(() => page.getByLabel('Tables').inputValue()).toBe('orders, customers');
  });

  test('of a chatbot has the settings of its conversations', async () => {
    const look = await on.open('/projects/default/chatbots/~new');
    const { page } = look;
    await page.getByLabel('Name', { exact: true }).fill('desk');
    await page.getByLabel('Greeting').fill('Welcome!');
    await page.getByLabel('History').fill('5');
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Create the chatbot' }).click();
    await page.getByText('The chatbot is created.').waitFor();
    await page.getByLabel('Greeting').fill('');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    const path = { project_name: 'default', chatbot_name: 'desk' };
    const { data } = await on.roster.GET('/projects/{project_name}/chatbots/{chatbot_name}', { params: { path } });
    expect(data?.settings).toEqual({ history: 5 });
  });
});
