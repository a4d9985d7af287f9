/** Tests against the mock alone that its lists end. */
import { items, pages } from 'roster-client';
import { describe, expect, test } from 'vitest';
import { asArray, asRecord } from '../../contract/json-record.js';
import { operations } from '../../testkit/openapi/document.js';
import { examplePath } from '../../testkit/openapi/example-requests.js';
import { roster, send } from '../target.js';

const lists = operations.filter(({ place }) => place.find('responses', '200', 'headers', 'Link'));

/** Returns the list of an answer: it is one, or, for clients of OpenAI's API, an object with one. */
function listIn(answer: unknown): readonly unknown[] {
  return asArray(Array.isArray(answer) ? answer : asRecord(answer)['data']);
}

describe.each(lists)('$id', (operation) => {
  const path = examplePath(operation);

  test('is whole without a limit', async () => {
    const { headers } = await send(path);
    expect(headers.get('Link')).toBeNull();
  });

  test('has each resource once, in pages of one', async () => {
    const whole = listIn(await (await send(path)).json());
    const read: unknown[] = [];
    let next: string | undefined = `${path}?limit=1`;
    while (next !== undefined && read.length < 100) {
      const response: Response = await send(next);
      const page = listIn(await response.json());
      expect(page).toHaveLength(1);
      read.push(...page);
      next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('Link') ?? '')?.[1];
    }
    expect(read).toEqual(whole);
  });
});

const listSkills = (query: { limit: number; cursor?: string }) =>
  roster.GET('/projects/{project_name}/skills', {
    params: { path: { project_name: 'default' }, query: { agent: ['analyst', 'helper'], ...query } },
  });

test('the client reads a list to its end', async () => {
  const read: string[] = [];
  for await (const { name } of items(listSkills)) read.push(name);
  expect(read).toEqual(['sales_questions', 'care_instructions']);
});

test('the client reads pages to the last one', async () => {
  const read: string[][] = [];
  for await (const page of pages(listSkills, { limit: 1 })) read.push(page.map(({ name }) => name));
  expect(read).toEqual([['sales_questions'], ['care_instructions']]);
});

test('the parameters of a list are those of its next page', async () => {
  const response = await send('/projects/default/skills?agent=analyst&agent=helper&limit=1');
  expect(response.headers.get('Link')).toContain('agent=analyst&agent=helper&limit=1&cursor=');
});

test('the cursor of another service leads to a last page, with the whole list', async () => {
  const response = await send('/projects/default/skills?limit=1&cursor=AZovPHoQfD6bHS9qTF6NAQ');
  expect(response.headers.get('Link')).toBeNull();
  expect(await response.json()).toHaveLength(2);
});
