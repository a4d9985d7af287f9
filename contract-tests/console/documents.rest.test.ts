import { answered, type RosterClient } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { browserAndService, expectGoodView, expectGoodViewInEachWindow } from './console-page.js';

const path = { project_name: 'default', skill_name: 'care' };

describe('the documents of a skill in the console', () => {
  const on = browserAndService(prepare);

  test('are sent as files, with the reason of each refusal', async () => {
    const look = await on.open('/projects/default/skills/care');
    const { page } = look;
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByText('There is no document yet.').waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles([
        file('care.md', '# Cleaning\n\nIn warm water.\n'),
        file('Übersicht 2026.txt', 'Größe und Gewicht'),
        file('Übersicht_2026.txt', 'Ein anderer Text'),
        file('latin.txt', Buffer.from('Größe', 'latin1')),
        file('picture.txt', 'a\0b'),
        file('nothing.txt', ''),
      ]);
    await page.getByText('6 of 6 files sent, 4 of them not kept').waitFor();
    const refusals = await page.getByRole('listitem').allInnerTexts();
    expect(refusals.slice(0, 4)).toEqual([
      expect.stringMatching(/^Übersicht_2026.txt .* same name/),
      expect.stringMatching(/^latin.txt .* UTF-8/),
      expect.stringMatching(/^picture.txt .* U\+0000/),
      expect.stringMatching(/^nothing.txt .* empty/),
    ]);
    await page.getByRole('link', { name: 'Ubersicht_2026.txt' }).waitFor();
    await expectGoodViewInEachWindow(look);

    const { data } = await on.roster.GET('/projects/{project_name}/skills/{skill_name}/documents', {
      params: { path },
    });
    expect(data?.map(({ name, media_type }) => [name, media_type])).toEqual([
      ['care.md', 'text/markdown'],
      ['Ubersicht_2026.txt', 'text/plain'],
    ]);

    await page.locator('input[type=file]').setInputFiles(file('care.md', 'With a soft brush.'));
    await page.getByText('replaced the text that had this name').waitFor();
    await page.getByRole('link', { name: 'care.md' }).click();
    await page.getByText('With a soft brush.').waitFor();
    await expectGoodViewInEachWindow(look);
  });

  test('are pasted under a name, looked at and deleted', async () => {
    const look = await on.open('/projects/default/skills/care/documents');
    const { page } = look;
    await page.getByLabel('Name').fill('a name');
    await page.getByRole('button', { name: 'Keep the text' }).click();
    await page.getByText('The text must not be empty.').waitFor();
    expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('true');
    await expectGoodView(look);
    await page.getByLabel('Name').fill('pasted.txt');
    await page.getByLabel('Text', { exact: true }).fill('<b>One</b>\nTwo');
    await page.getByRole('button', { name: 'Keep the text' }).click();
    await page.getByText('The document pasted.txt is kept.').waitFor();
    await page.getByRole('link', { name: 'pasted.txt' }).click();
    await expect.poll(() => page.locator('.card').innerText()).toBe('<b>One</b>\nTwo');
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The document pasted.txt is deleted.').waitFor();
  });
});

const file = (name: string, content: string | Buffer) => ({
  name,
  mimeType: 'text/plain',
  buffer: Buffer.from(content),
});

async function prepare(roster: RosterClient): Promise<void> {
  const skill = { name: 'care', type: 'knowledge_base' };
  const params = { path: { project_name: 'default' } };
  await answered(roster.POST('/projects/{project_name}/skills', { params, body: { skill } }));
}
