/** The console as frontend teams begin with it: against the two mocks. */
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { browserOfThisMachine, closePages, NO_BROWSER, sharedBrowser } from '../../testkit/browser.js';
import { type Child, startChild } from '../../testkit/service/child-process.js';
import type { Look } from '../docs/browser.js';
import { startMock, startStatefulMock } from '../targets/start-mock.js';
import { expectGoodView, goTo, openConsole } from './console-page.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Each view, with the names of the contract's examples, and the heading that it has. None has the heading of the one
 * before it, so that a new heading shows that the view has changed.
 */
const VIEWS = [
  ['/projects/default/models', 'Models'],
  ['/projects/default/models/diamond_prices', 'diamond_prices'],
  ['/projects/default/models/~new', 'Train a model'],
  ['/projects/default/models/diamond_prices/try', 'diamond_prices'],
  ['/projects/default/skills', 'Skills'],
  ['/projects/default/models/diamond_prices/predict', 'diamond_prices'],
  ['/projects/default/skills/~new', 'New skill'],
  ['/projects/default/models/diamond_prices/versions', 'diamond_prices'],
  ['/projects/default/skills/sales_questions', 'sales_questions'],
  ['/projects/default/skills/care_instructions/documents', 'Documents of care_instructions'],
  ['/projects/default/skills/care_instructions/documents/care.md', 'care.md'],
  ['/projects/default/agents', 'Agents'],
  ['/projects/default/agents/analyst', 'analyst'],
  ['/projects/default/agents/analyst/talk', 'Talk to analyst'],
  ['/projects/default/chatbots', 'Chatbots'],
  ['/projects/default/chatbots/help_desk', 'help_desk'],
  ['/projects/default/chatbots/help_desk/conversations', 'Conversations with help_desk'],
  ['/projects', 'Projects'],
  ['/key', 'Key'],
] as const;

/** The view of the example of a conversation, which has another identifier in a service. */
const CONVERSATION = [
  '/projects/default/chatbots/help_desk/conversations/019a2f45-8b80-7f00-8c6d-2e5f8a1b4c01',
  'Cleaning',
] as const;

const executable = browserOfThisMachine();

describe('the console', () => {
  const running: Child[] = [];
  let browser: Browser;

  beforeEach(({ skip }) => skip(executable === undefined, NO_BROWSER));
  beforeAll(async () => {
    if (executable !== undefined) browser = await sharedBrowser(executable);
  });
  afterAll(async () => {
    await closePages();
    await Promise.all(running.map((child) => child.stop()));
  });

  const started = async <C extends Child>(starting: Promise<C>): Promise<C> => {
    const child = await starting;
    running.push(child);
    return child;
  };

  test('shows the examples of the contract in every view, against plain Prism', async () => {
    const mock = await started(startMock());
    const { url } = await started(consoleFor(mock.url));
    const look = await openConsole(browser, url);
    await enterAnyKey(look.page);
    for (const [view, heading] of [...VIEWS, CONVERSATION]) await expectExamples(look, view, heading);
    await expectGoodView(look);
  });

  test('is served by the mock that remembers, with the same examples', async () => {
    const { url } = await started(startStatefulMock());
    const look = await openConsole(browser, url);
    for (const [view, heading] of VIEWS) await expectExamples(look, view, heading);
    await expectGoodView(look);
  });
});

/** Goes to a view, and expects that nothing in it says that something is wrong. */
async function expectExamples({ page, idle }: Look, view: string, heading: string): Promise<void> {
  await goTo(page, view, heading);
  await idle();
  await expect.poll(() => page.getByText(/^Loading /).count()).toBe(0);
  expect(await page.getByRole('alert').allTextContents(), view).toEqual([]);
}

/** Starts `npm run console:dev` on a free port, with a service to send requests to. */
function consoleFor(serviceUrl: string): Promise<Child & { url: string }> {
  return startChild(
    process.execPath,
    [`${ROOT}/node_modules/vite/bin/vite.js`, `${ROOT}/console`, '--port', '0'],
    { ...process.env, ROSTER_URL: serviceUrl, NO_COLOR: '1' },
    (line) => /(http:\S+?)\/?$/.exec(line.trim())?.[1],
  );
}

/** Prism wants a key, and takes any. */
async function enterAnyKey(page: Page): Promise<void> {
  await page.getByRole('dialog').getByLabel('Key', { exact: true }).fill('any');
  await page.getByRole('button', { name: 'Use this key' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
