import type { Page } from 'playwright-core';
import { answered, type RosterClient } from 'roster-client';
import { afterAll, describe, expect, test } from 'vitest';
import { refuses, says } from '../../testkit/chat/reply.js';
import { openScriptedChatServer, type ScriptedChatServer } from '../../testkit/chat/scripted-chat-server.js';
import { WAIT_MS } from '../../testkit/patience.js';
import { browserAndService, expectGoodView, expectGoodViewInEachWindow } from './console-page.js';

const path = { project_name: 'default' };
const CONVERSATIONS = '/projects/default/chatbots/desk/conversations';

describe('conversations with a chatbot in the console', () => {
  let chat: ScriptedChatServer | undefined;
  const on = browserAndService(prepare, async () => {
    chat = await openScriptedChatServer([]);
    return { CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
  });
  afterAll(() => chat?.close());

  /** Begins a conversation by hand. */
  const begin = async (title: string) => {
    const look = await on.open(CONVERSATIONS);
    await look.page.getByLabel('Title').fill(title);
    await look.page.getByRole('button', { name: 'Begin a conversation' }).click();
    await look.page.getByRole('heading', { level: 1, name: title }).waitFor();
    return look;
  };

  test('are begun, continued after the page was closed, found and deleted', async () => {
    chat?.play([says('In warm water.'), says('Once a month.')]);
    const look = await begin('Cleaning');
    const { page } = look;
    await page.locator('.reply').getByText('Welcome!').waitFor();
    await say(page, 'How do I clean my ring?');
    await page.getByText('1 request to the chat server').waitFor();
    await expectGoodViewInEachWindow(look);

    await page.reload();
    await page.locator('.reply').getByText('In warm water.').waitFor();
    await say(page, 'How often?');
    await page.locator('.reply').getByText('Once a month.').waitFor();
    const messages = chat?.requests.at(-1)?.body.messages.map(({ content }) => content);
    expect(messages).toContain('How do I clean my ring?');

    await page.getByRole('link', { name: '‹ Conversations with desk' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Cleaning' });
    await row.getByRole('cell', { name: '5', exact: true }).waitFor();
    await expectGoodViewInEachWindow(look);
    await row.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The conversation “Cleaning” is deleted.').waitFor();
  });

  test('keep a question whose reply failed, and ask for the reply again', async () => {
    chat?.play([refuses(500, { message: 'Broken.' }), says('Here I am.')]);
    const look = await begin('Failure');
    const { page } = look;
    await say(page, 'Are you there?');
    await page.getByRole('alert').waitFor();
    await expectGoodView(look);
    await page.reload();
    await page.getByText('There is no reply yet.').waitFor();
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.locator('.reply').getByText('Here I am.').waitFor();
    await page.reload();
    await page.locator('.reply').getByText('Here I am.').waitFor();
    await expect
      .poll(() => page.locator('.question').allInnerTexts())
      .toEqual([expect.stringContaining('Are you there?')]);
  });

  test('send a message once, if its answer was lost', async () => {
    chat?.play([says('Hello.')]);
    const { page } = await begin('Lost');
    await page.route('**/messages', (route) => route.abort(), { times: 1 });
    await page.route(
      '**/messages',
      async (route) => {
        // It arrives, and nobody learns of it.
        await route.fetch({ timeout: WAIT_MS });
        await route.abort();
      },
      { times: 1 },
    );
    await say(page, 'Hello?');
    await page.locator('.reply').getByText('Hello.').waitFor();
    await page.reload();
    await page.locator('.reply').getByText('Hello.').waitFor();
    await expect.poll(() => page.locator('.question').count()).toBe(1);
  });
});

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByLabel('Message').press('Enter');
}

async function prepare(roster: RosterClient): Promise<void> {
  await answered(
    roster.POST('/projects/{project_name}/agents', { params: { path }, body: { agent: { name: 'jeweller' } } }),
  );
  await answered(
    roster.POST('/projects/{project_name}/chatbots', {
      params: { path },
      body: { chatbot: { name: 'desk', agent_name: 'jeweller', settings: { greeting: 'Welcome!' } } },
    }),
  );
}
