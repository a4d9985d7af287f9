/** Tests of states that a service reaches rarely or never: the console shows the contract's examples of them. */
import type { Locator, Page } from 'playwright-core';
import type { ExampleChoices } from 'roster-client/examples';
import { describe, expect, test } from 'vitest';
import type { Look } from '../docs/browser.js';
import { answerWithExamples } from './answer-with-examples.js';
import { browserAndService, expectGoodView, goTo, WINDOWS } from './console-page.js';

/** A view, what it is answered with, what is done in it, and what it says then. */
interface State {
  choices: ExampleChoices;
  view: string;
  heading: string;
  act?: (page: Page) => Promise<unknown>;
  says: string;
}

const PROJECT = '/projects/default';
const MODEL = `${PROJECT}/models/diamond_prices`;
const CONVERSATION = `${PROJECT}/chatbots/help_desk/conversations/019a2f45-8b80-7f00-8c6d-2e5f8a1b4c01`;

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const write = async (page: Page, name: string, text: string, button: string) => {
  await page.getByLabel(name, { exact: true }).fill(text);
  await press(page, button);
};
const remove = async (page: Page, what: string) => {
  await press(page, `Delete ${what}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
};
const trainFromTable = async (page: Page) => {
  const rows = Array.from({ length: 60 }, (_, row) => `${row % 7},${row * 3}\n`);
  const buffer = Buffer.from(`carat,price\n${rows.join('')}`);
  const table = { name: 'prices.csv', mimeType: 'text/csv', buffer };
  await page.setInputFiles('input[type=file]', table);
  await press(page, /^Train/);
};

const STATES: Record<string, State> = {
  'without a project': {
    choices: { listProjects: { status: 200, body: [] } },
    view: '/projects',
    heading: 'Projects',
    says: 'There is no project yet.',
  },
  'without a project for models': {
    choices: { listProjects: { status: 200, body: [] } },
    view: '/',
    heading: 'Models',
    says: 'Create a project',
  },
  'with a list that fails': {
    choices: { listSkills: 500 },
    view: `${PROJECT}/skills`,
    heading: 'Skills',
    says: 'Something went wrong inside the service.',
  },
  'with too many requests': {
    choices: { listModels: 429 },
    view: `${PROJECT}/models`,
    heading: 'Models',
    says: 'try again in 18 seconds',
  },
  'with a training that failed': {
    choices: { getModel: 'failed' },
    view: MODEL,
    heading: 'diamond_prices',
    says: 'Version 2 was not trained.',
  },
  'with a service that is busy': {
    choices: { listVersions: { status: 503, example: 'busy' } },
    view: `${MODEL}/versions`,
    heading: 'diamond_prices',
    says: 'Try again in 1 second.',
  },
  'with a full project': {
    choices: { createAgent: 'limit' },
    view: `${PROJECT}/agents/~new`,
    heading: 'New agent',
    act: (page) => write(page, 'Name', 'analyst', 'Create the agent'),
    says: 'Limit reached.',
  },
  'with a creation that fails': {
    choices: { createAgent: 500 },
    view: `${PROJECT}/agents/~new`,
    heading: 'New agent',
    act: (page) => write(page, 'Name', 'analyst', 'Create the agent'),
    says: 'Something went wrong inside the service.',
  },
  'with a change by someone else': {
    choices: { updateSkill: 412 },
    view: `${PROJECT}/skills/sales_questions`,
    heading: 'sales_questions',
    act: (page) => write(page, 'Type', 'lookup', 'Save changes'),
    says: 'Changed by someone else.',
  },
  'with a deletion of what someone else changed': {
    choices: { deleteSkill: 412 },
    view: `${PROJECT}/skills/sales_questions`,
    heading: 'sales_questions',
    act: (page) => remove(page, 'the skill sales_questions'),
    says: 'Someone else changed the skill.',
  },
  'with a table of no use': {
    choices: { trainModel: 'fields' },
    view: `${PROJECT}/models/~new`,
    heading: 'Train a model',
    act: trainFromTable,
    says: 'Line 17 has 5 fields, the header has 4.',
  },
  'with more models than a project may hold': {
    choices: { trainModel: 'limit' },
    view: `${PROJECT}/models/~new`,
    heading: 'Train a model',
    act: trainFromTable,
    says: 'Limit reached.',
  },
  'without a chat server': {
    choices: { completeAgent: 501, streamAgent: 501 },
    view: `${PROJECT}/agents/analyst/talk`,
    heading: 'Talk to analyst',
    act: (page) => write(page, 'Message', 'What does it cost?', 'Send'),
    says: 'Any server with the chat completions of OpenAI will do',
  },
  'with a chat server that refuses': {
    choices: { sendMessage: { status: 502, example: 'rate' } },
    view: CONVERSATION,
    heading: 'Cleaning',
    act: (page) => write(page, 'Message', 'What does it cost?', 'Send'),
    says: 'The chat server is asked too often (429).',
  },
};

describe('the console', () => {
  const on = browserAndService();

  /** Goes to a view in the one window of these tests, that of a phone. */
  async function show({ choices, view, heading }: Omit<State, 'says'>): Promise<Look> {
    const look = await on.open(undefined, WINDOWS[1]);
    await answerWithExamples(look.page, choices);
    await goTo(look.page, view, heading);
    // An answer that arrives later fills a form again.
    await look.idle();
    return look;
  }

  test.each(Object.entries(STATES))('says what is the matter %s', async (_, state) => {
    const look = await show(state);
    await state.act?.(look.page);
    const message = look.page.getByText(state.says).last();
    await message.waitFor();
    await look.idle();
    await expect.poll(() => isInWindow(message)).toBe(true);
    await expectGoodView(look);
    if (await look.page.getByRole('dialog').isVisible()) await press(look.page, 'Cancel');
  });

  test('tries again when a list or a prediction has failed', async () => {
    const choices: ExampleChoices = { listSkills: [500, 200], predict: [{ status: 409, example: 'failed' }, 200] };
    const { page } = await show({ choices, view: `${PROJECT}/skills`, heading: 'Skills' });
    await press(page, 'Try again');
    await page.getByRole('link', { name: 'sales_questions' }).waitFor();

    await goTo(page, `${MODEL}/try`, 'diamond_prices');
    await page.getByText('Model not ready.').waitFor();
    expect(await page.getByText('Predicting …').count()).toBe(0);
    await press(page, 'Try again');
    await page.getByText('the actual value is between 2,202 and 3,281').waitFor();
  });

  test('keeps what it shows when a later reload fails', async () => {
    const { page } = await show({
      choices: { getModel: [200, 500, 200] },
      view: `${MODEL}/try`,
      heading: 'diamond_prices',
    });
    await page.getByText('the actual value is between').waitFor();
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await page.getByRole('alert').getByText('Internal error').waitFor();
    await page.getByText('the actual value is between').waitFor();
    await press(page, 'Try again');
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await page.getByText('the actual value is between').waitFor();
  });
});

async function isInWindow(element: Locator): Promise<boolean> {
  const box = await element.boundingBox();
  const window = element.page().viewportSize();
  return box !== null && window !== null && box.y >= 0 && box.y + box.height <= window.height;
}
