import type { Page } from 'playwright-core';
import { answered, type RosterClient } from 'roster-client';
import { afterAll, describe, expect, test } from 'vitest';
import { type ChatReply, calls, chunk, DONE, refuses, says, stream } from '../../testkit/chat/reply.js';
import {
  openScriptedChatServer,
  type ReceivedRequest,
  type ScriptedChatServer,
} from '../../testkit/chat/scripted-chat-server.js';
import { browserAndService, expectGoodView, expectGoodViewInEachWindow, goTo } from './console-page.js';

const DEFAULT = { project_name: 'default' };
const CARE = '# Cleaning\n\nClean a diamond in warm water with a little soap.\n';

/** A chat server whose answer has begun, and does not go on. */
const HANGING: ChatReply = { ...stream(chunk({ content: 'It costs ' })), end: 'silence' };

describe('an agent in the console', () => {
  let chat: ScriptedChatServer | undefined;
  const on = browserAndService(prepare, async () => {
    chat = await openScriptedChatServer([]);
    return { CHAT_URL: chat.url, CHAT_MODEL: 'scripted' };
  });
  afterAll(() => chat?.close());

  const play = (script: Parameters<ScriptedChatServer['play']>[0]) => chat?.play(script);
  const lastRequest = () => chat?.requests.at(-1);
  const openTalk = async (agent: string) => {
    const look = await on.open(`/projects/default/agents/${agent}`);
    // The page keeps what was said until it is loaded again.
    await look.page.reload();
    await look.page.getByRole('link', { name: 'Talk to it' }).click();
    await look.page.getByRole('heading', { level: 1, name: `Talk to ${agent}` }).waitFor();
    return look;
  };

  test('answers with a table, which is none of Markdown on the page', async () => {
    const table = '| Carat | Price |\n|:--|--:|\n| 0.5 | 1,500 |\n| 1.0 | 5,000 |';
    play([says(`Prices | by carat:\n\n${table}\n\nThey rise | fast.`)]);
    const look = await openTalk('jeweller');
    const { page } = look;
    await page.getByLabel('Message').fill('What do they cost?');
    await page.getByLabel('Message').press('Enter');
    await page.getByRole('columnheader', { name: 'Price' }).waitFor();
    expect(await page.locator('.reply td').allTextContents()).toEqual([' 0.5 ', ' 1,500 ', ' 1.0 ', ' 5,000 ']);
    expect(await page.locator('.reply > .content').allTextContents()).toEqual([
      'Prices | by carat:',
      'They rise | fast.',
    ]);
    await expectGoodViewInEachWindow(look);
  });

  test('answers with its steps and passages, by keyboard alone', async () => {
    play((request, number) =>
      number === 0
        ? calls({ name: toolOf(request), arguments: { query: 'soap' } })
        : says('In warm water.\n', '<b onclick="alert(1)">Not bold</b> ', 'x'.repeat(500)),
    );
    const look = await openTalk('jeweller');
    const { page } = look;
    await page.getByLabel('Message').focus();
    await page.keyboard.type('How do I clean it?');
    await page.keyboard.press('Shift+Enter');
    await page.keyboard.type('It is a ring.');
    await page.keyboard.press('Enter');
    await page.getByText('2 requests to the chat server').waitFor();
    await expect.poll(() => page.locator('.question').innerText()).toContain('clean it?\nIt is a ring.');
    await expect
      .poll(() => page.locator('.reply > .content').innerText())
      .toContain('In warm water.\n<b onclick="alert(1)">Not bold</b> xxx');
    await expect.poll(() => page.getByRole('status').last().textContent()).toContain('In warm water.');
    const step = page.locator('details').first();
    expect(await step.getAttribute('open')).toBeNull();
    await step.locator('summary').press('Enter');
    await expect.poll(() => step.innerText()).toMatch(/"query": "soap".*warm water/s);
    await page.getByText('1 passage found').press('Enter');
    await expectGoodViewInEachWindow(look);
    await page.getByRole('link', { name: 'care.md' }).click();
    await page.getByRole('heading', { level: 1, name: 'care.md' }).waitFor();
    await page.getByText('with a little soap').waitFor();
  });

  test('is sent what was said before, until one begins anew', async () => {
    play([says('Yes.'), says('About 4,000 dollars.'), says('Hello.')]);
    const { page } = await openTalk('plain');
    await say(page, 'Do you know diamonds?');
    await page.getByText('Yes.', { exact: true }).first().waitFor();
    await say(page, 'What does one cost?');
    await page.getByText('About 4,000 dollars.').first().waitFor();
    expect(spoken(lastRequest())).toEqual(['Do you know diamonds?', 'Yes.', 'What does one cost?']);
    await page.getByRole('button', { name: 'Begin anew' }).click();
    await say(page, 'Hello?');
    await page.getByText('Hello.', { exact: true }).first().waitFor();
    expect(spoken(lastRequest())).toEqual(['Hello?']);
  });

  test('names a tool that failed, and says why', async () => {
    play([calls({ name: 'no_such_tool', arguments: {} }), says('I could not.')]);
    const look = await openTalk('jeweller');
    await say(look.page, 'Try it.');
    const step = look.page.locator('details.failed');
    await step.getByText('Error', { exact: true }).waitFor();
    await expect.poll(() => step.innerText()).toContain('no_such_tool');
    await expectGoodView(look);
  });

  test('is stopped, and asked again', async () => {
    play([HANGING, says('It costs 4,000 dollars.')]);
    const look = await openTalk('plain');
    const { page } = look;
    await say(page, 'What does it cost?');
    await page.getByText('It costs').waitFor();
    await page.getByLabel('Message').fill('typed meanwhile');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Stop' }).press('Enter');
    await page.locator('.reply').getByText('Stopped.').waitFor();
    expect(await lastRequest()?.outcome).toBe('aborted by the client');
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('typed meanwhile');
    await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
    await expectGoodView(look);
    await page.getByRole('button', { name: 'Ask again' }).click();
    await page.getByText('It costs 4,000 dollars.').first().waitFor();
    await expect.poll(() => page.locator('.question').count()).toBe(1);
  });

  test('goes on while one looks at another view', async () => {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const inTwoParts = async function* () {
      yield chunk({ content: 'First. ' });
      await waiting;
      yield chunk({ content: 'Second.' });
      yield chunk({}, 'stop');
      yield DONE;
    };
    play([{ body: inTwoParts() }]);
    const { page } = await openTalk('plain');
    await say(page, 'Two sentences, please.');
    await page.getByText('First.').waitFor();
    await goTo(page, '/projects/default/skills', 'Skills');
    goOn();
    await goTo(page, '/projects/default/agents/plain/talk', 'Talk to plain');
    await page.getByText('First. Second.').first().waitFor();
  });

  test('says what failed, and keeps the question', async () => {
    play([refuses(429, { message: 'Too many.' }), says('Now.')]);
    const look = await openTalk('plain');
    const { page } = look;
    await say(page, 'Are you there?');
    await page.getByRole('alert').getByText('chat server').waitFor();
    await expectGoodViewInEachWindow(look);
    await page.getByRole('button', { name: 'Edit' }).click();
    await expect.poll(() => page.getByLabel('Message').inputValue()).toBe('Are you there?');
    await page.getByLabel('Message').press('Enter');
    await page.getByText('Now.', { exact: true }).first().waitFor();
  });
});

async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message').fill(text);
  await page.getByRole('button', { name: 'Send' }).click();
}

/** Returns the name of the first tool that a request offers. */
function toolOf({ body }: ReceivedRequest): string {
  return body.tools?.[0]?.function.name ?? '';
}

/** Returns what was said in a request, without its instructions. */
function spoken(request: ReceivedRequest | undefined): unknown[] {
  const messages = request?.body.messages ?? [];
  return messages.filter(({ role }) => role !== 'system').map(({ content }) => content);
}

async function prepare(roster: RosterClient): Promise<void> {
  const path = DEFAULT;
  const skill = { name: 'care', type: 'retrieval', params: { source: 'Care of diamonds' } };
  await answered(roster.POST('/projects/{project_name}/skills', { params: { path }, body: { skill } }));
  await answered(
    roster.PUT('/projects/{project_name}/skills/{skill_name}/documents/{document_name}', {
      params: { path: { ...path, skill_name: 'care', document_name: 'care.md' } },
      headers: { 'Content-Type': 'text/markdown' },
      body: CARE,
    }),
  );
  const jeweller = { name: 'jeweller', skills: ['care'], settings: { return_context: true } };
  for (const agent of [jeweller, { name: 'plain' }])
    await answered(roster.POST('/projects/{project_name}/agents', { params: { path }, body: { agent } }));
}
