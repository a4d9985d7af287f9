import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { answerWithExamples } from './answer-with-examples.js';
import { browserAndService, expectGoodView, expectGoodViewInEachWindow, goTo, WINDOWS } from './console-page.js';

/** Each view is looked at in both windows; the steps between them are done in one window. */
const [DESK, PHONE] = WINDOWS;

describe('skills, agents, chatbots and projects in the console', () => {
  const on = browserAndService();

  const projectOf = async (name: string) => {
    await on.roster.POST('/projects', { body: { project: { name } } });
    return { path: { project_name: name } };
  };
  const skillOf = async (project: string, name: string) => {
    const path = { project_name: project, skill_name: name };
    return (await on.roster.GET('/projects/{project_name}/skills/{skill_name}', { params: { path } })).data;
  };

  test('are created, found and deleted by hand', async () => {
    const project = 'by_hand';
    const look = await on.open('/projects', DESK);
    const { page } = look;
    await page.getByLabel('Name').fill(project);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: project }).waitFor();
    await expectGoodViewInEachWindow(look);

    await goTo(page, `/projects/${project}/skills`, 'Skills');
    await page.getByText('No skills yet.').waitFor();
    await expectGoodViewInEachWindow(look);

    await page.getByRole('link', { name: 'New skill' }).click();
    await page.getByLabel('Type').fill('<b onclick="alert(1)">sql</b> 🎉');
    await page.getByLabel('Params').fill('{"database": }');
    await press(page, 'Create the skill');
    await page.getByText('Not saved. 2 fields need a correction.').waitFor();
    await expect.poll(() => page.getByLabel('Params').getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => focused(page)).toBe('Name');
    await expectGoodViewInEachWindow(look);

    const name = 'n'.repeat(100);
    await page.getByLabel('Name').fill(name);
    await page.getByLabel('Params').fill('{"database": "sales"}');
    await press(page, 'Create the skill');
    await page.getByText('The skill is created.').waitFor();
    await expectGoodViewInEachWindow(look);
    expect(await skillOf(project, name)).toMatchObject({ params: { database: 'sales' } });

    await page.getByRole('link', { name: '‹ Skills' }).click();
    await page.getByLabel('Find skills').fill('nothing like it');
    await page.getByText('0 of 1 skill').waitFor();
    await page.getByLabel('Find skills').fill('ONCLICK sql');
    await page.getByText('1 of 1 skill').waitFor();
    await expect.poll(() => page.getByRole('cell').nth(1).textContent()).toContain('<b onclick');
    await expectGoodViewInEachWindow(look);
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.goBack();
    await expect.poll(() => page.getByLabel('Find skills').inputValue()).toBe('ONCLICK sql');

    await page.getByRole('link', { name }).click();
    await remove(page, `the skill ${name}`, 'No agent uses it.');
    await page.getByText(`The skill ${name} is deleted.`).waitFor();
    await goTo(page, '/projects', 'Projects');
    await remove(page, `the project ${project}`, 'Only an empty project can be deleted.');
    await page.getByText(`The project ${project} is deleted.`).waitFor();
  });

  test('say what a deletion does to the resources that use them', async () => {
    const params = await projectOf('used');
    for (const name of ['first', 'second'])
      await on.roster.POST('/projects/{project_name}/skills', { params, body: { skill: { name, type: 'lookup' } } });
    const look = await on.open('/projects/used/agents/~new');
    const { page } = look;
    await page.getByLabel('Name', { exact: true }).fill('analyst');
    await page.getByRole('searchbox', { name: 'Skills' }).fill('sec');
    await page.getByLabel('second').check();
    await expectGoodView(look);
    await press(page, 'Create the agent');
    await page.getByText('The agent is created.').waitFor();

    await goTo(page, '/projects/used/chatbots/~new', 'New chatbot');
    await page.getByLabel('Name', { exact: true }).fill('desk');
    await page.getByLabel('analyst').check();
    await press(page, 'Create the chatbot');
    await page.getByText('The chatbot is created.').waitFor();

    await goTo(page, '/projects', 'Projects');
    await remove(page, 'the project used', 'Only an empty project can be deleted.');
    await page.getByText('still holds 2 skills, 1 agent, and 1 chatbot').waitFor();
    await expectGoodView(look);
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();

    await goTo(page, '/projects/used/skills/second', 'second');
    await remove(page, 'the skill second', '1 agent can no longer use it: analyst');
    await page.getByText('The skill second is deleted.').waitFor();
    await goTo(page, '/projects/used/agents/analyst', 'analyst');
    await remove(page, 'the agent analyst', 'A chatbot stays without an agent: desk');
    await page.getByText('The agent analyst is deleted.').waitFor();
  });

  test('are changed by two at once without losing either', async () => {
    const project = 'two';
    const params = await projectOf(project);
    const skill = { name: 'returns', type: 'lookup', params: { database: 'sales', year: 2025 } };
    await on.roster.POST('/projects/{project_name}/skills', { params, body: { skill } });
    const change = (body: { type?: string; params?: Record<string, unknown> }) =>
      on.roster.PUT('/projects/{project_name}/skills/{skill_name}', {
        params: { path: { ...params.path, skill_name: 'returns' } },
        body: { skill: body },
      });
    const look = await on.open(`/projects/${project}/skills/returns`, PHONE);
    const { page } = look;
    const sent: unknown[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT') sent.push(request.postDataJSON());
    });

    await page.getByLabel('Params').fill('{"database": "sales", "month": 5}');
    await press(page, 'Save changes');
    await page.getByText('Saved.').waitFor();
    expect(sent).toEqual([{ skill: { params: { month: 5, year: null } } }]);

    await change({ type: 'theirs', params: { month: 6 } });
    await page.getByLabel('Params').fill('{"database": "mine", "month": 5}');
    await press(page, 'Save changes');
    await page.getByText('Changed by someone else.').waitFor();
    await expectGoodViewInEachWindow(look);
    await press(page, 'Show theirs');
    await page.getByRole('dialog').getByText('"month": 6').waitFor();
    await press(page, 'Close');
    await press(page, 'Keep mine');
    await page.getByText('Saved.').waitFor();
    expect(await skillOf(project, 'returns')).toMatchObject({ type: 'theirs', params: { database: 'mine', month: 5 } });

    await change({ type: 'theirs again' });
    await page.getByLabel('Type').fill('mine');
    await press(page, 'Save changes');
    await press(page, 'Use theirs');
    await expect.poll(() => page.getByLabel('Type').inputValue()).toBe('theirs again');

    await page.getByLabel('Type').fill('mine again');
    await change({ type: 'theirs at last' });
    await press(page, 'Delete the skill returns');
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('Someone else changed the skill.').waitFor();
    await press(page, 'Cancel');
    await press(page, 'Save changes');
    await press(page, 'Use theirs');
    await expect.poll(() => page.getByLabel('Type').inputValue()).toBe('theirs at last');

    await page.getByLabel('Type').fill('kept');
    await on.roster.DELETE('/projects/{project_name}/skills/{skill_name}', {
      params: { path: { ...params.path, skill_name: 'returns' } },
    });
    await press(page, 'Save changes');
    await page.getByText('Deleted by someone else.').waitFor();
    await expectGoodViewInEachWindow(look);
    await press(page, 'Create the skill again');
    await page.getByText('Created again.').waitFor();
    expect(await skillOf(project, 'returns')).toMatchObject({ type: 'kept' });
  });

  test('are sent once, however often the button is clicked, and kept while the service is busy', async () => {
    const look = await on.open('/projects/default/skills/~new');
    const { page } = look;
    await page.getByLabel('Name').fill('once');
    await page.getByLabel('Type').fill('lookup');
    await answerWithExamples(page, { createSkill: { status: 503, example: 'busy' } });
    await press(page, 'Create the skill');
    await page.getByText('Service unavailable.').waitFor();
    await page.getByText('Try again in 1 second.').waitFor();
    await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('once');
    await expectGoodView(look);

    await page.unrouteAll();
    let creations = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') creations += 1;
    });
    await page.locator('button[type=submit]').evaluate((button) => {
      button.click();
      button.click();
    });
    await page.getByText('The skill is created.').waitFor();
    expect(creations).toBe(1);
  });

  test('lose what is emptied in their forms', async () => {
    const params = await projectOf('emptied');
    await on.roster.POST('/projects/{project_name}/agents', {
      params,
      body: {
        agent: { name: 'analyst', model_name: 'llama3.2', prompt_template: 'Be brief.', data: { tables: ['orders'] } },
      },
    });
    await on.roster.POST('/projects/{project_name}/chatbots', {
      params,
      body: { chatbot: { name: 'desk', agent_name: 'analyst', database_name: 'slack' } },
    });
    await on.roster.POST('/projects/{project_name}/skills', {
      params,
      body: { skill: { name: 'lookup', type: 'lookup', params: { database: 'sales' } } },
    });
    const look = await on.open('/projects/emptied/agents/analyst');
    const { page } = look;
    // The head leads to the same list of another project.
    const listed = page.waitForRequest(/\/projects\?/);
    await page.getByRole('button', { name: 'Project emptied, choose another' }).press('Enter');
    expect(new URL((await listed).url()).searchParams.get('limit')).toBe('12');
    const others = page.getByRole('navigation', { name: 'Projects' });
    expect(await others.getByRole('link', { name: 'default' }).getAttribute('href')).toBe('#/projects/default/agents');
    await expectGoodView(look);
    await page.keyboard.press('Escape');
    await others.waitFor({ state: 'detached' });
    for (const label of ['Language model', 'Instructions', 'Data']) {
      await page.getByLabel(label).first().fill('');
    }
    await press(page, 'Save changes');
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await page.getByLabel('Language model').first().waitFor();
    for (const label of ['Language model', 'Instructions', 'Data']) {
      await expect.poll(() => page.getByLabel(label).first().inputValue(), { message: label }).toBe('');
    }

    await goTo(page, '/projects/emptied/skills/lookup', 'lookup');
    await page.getByLabel('Params').fill('');
    await press(page, 'Save changes');
    await page.getByText('Saved.').waitFor();
    expect((await skillOf('emptied', 'lookup'))?.params).toEqual({});

    await goTo(page, '/projects/emptied/chatbots/desk', 'desk');
    await page.getByLabel('Connection').fill('');
    await page.getByLabel('None').check();
    await press(page, 'Save changes');
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await page.getByLabel('None').waitFor();
    await expect.poll(() => page.getByLabel('None').isChecked()).toBe(true);
    // The form is filled again after what was stored has arrived.
    await expect.poll(() => page.getByLabel('Connection').inputValue()).toBe('');
    await expectGoodView(look);
    const path = { ...params.path, chatbot_name: 'desk' };
    const one = '/projects/{project_name}/chatbots/{chatbot_name}';
    expect((await on.roster.GET(one, { params: { path } })).data).toMatchObject({
      agent_id: null,
      agent_name: null,
      database_name: null,
    });
  });

  test('say how a service without a chat server gets one', async () => {
    const params = await projectOf('silent');
    const agent = { name: 'plain' };
    await on.roster.POST('/projects/{project_name}/agents', { params, body: { agent } });
    const look = await on.open('/projects/silent/agents/plain/talk');
    const { page } = look;
    await page.getByLabel('Message').fill('Hello?');
    await press(page, 'Send');
    await page.getByText('Chat not configured.').waitFor();
    await expect.poll(() => page.locator('.copyable').innerText()).toContain('CHAT_URL=');
    await expectGoodViewInEachWindow(look);
  });

  test('appear when a service that was down at first is back', async () => {
    const params = await projectOf('down');
    await on.roster.POST('/projects/{project_name}/skills', {
      params,
      body: { skill: { name: 'late', type: 'lookup' } },
    });
    const { page } = await on.open('/projects');
    for (const address of ['**/projects/**', '**/health/**'])
      await page.route(address, (route) => route.abort('connectionrefused'));
    await goTo(page, '/projects/down/skills', 'Skills');
    await page.getByText('The service does not answer.').first().waitFor();
    await page.unrouteAll();
    await page.getByRole('link', { name: 'late' }).waitFor();
  });
});

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();

/** Presses a button "Delete", expects what the dialog says, and confirms. */
async function remove(page: Page, what: string, consequence: string): Promise<void> {
  await press(page, `Delete ${what}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText(consequence).waitFor();
  await dialog.getByRole('button', { name: 'Delete' }).click();
}

/** Returns the label of the field that has the focus. */
const focused = async (page: Page) => (await page.locator('.field:focus-within label').first().textContent())?.trim();
