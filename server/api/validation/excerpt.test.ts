import { describe, expect, test } from 'vitest';
import { readContract } from '../../../contract/document.js';
import { takeExcerpts } from './excerpt.js';

const contract = readContract(new URL('../../../openapi.yaml', import.meta.url));
const takeExcerpt = takeExcerpts(contract);

const excerpt = (id: string, body: unknown) => {
  const operation = contract.operations.find((one) => one.id === id);
  return takeExcerpt(operation ?? expect.fail(), body, {});
};
const numbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x${index}`, index]));

describe('the excerpt of a body', () => {
  test('is the body itself if its faults are few', () => {
    const body = { agent: { ...numbered(100), name: 5, skills: ['a', 1, {}], data: { tables: ['', 'b'] } } };
    expect(excerpt('createAgent', body)).toEqual({ body, query: {}, isShortened: false });
    expect(excerpt('createAgent', body).body).toBe(body);
  });

  test('has at most 200 unknown fields, and every known one', () => {
    const { body, isShortened } = excerpt('createSkill', {
      skill: { ...numbered(5000), name: 'a', type: 'sql' },
      ...numbered(5000),
    });
    expect(isShortened).toBe(true);
    expect(body).toEqual({ skill: { ...numbered(200), name: 'a', type: 'sql' } });
  });

  test('has the beginning of an unknown name, and the whole of a name that the caller may choose', () => {
    const name = '/'.repeat(100_000);
    const { body } = excerpt('createSkill', { skill: { [name]: 1, name: 'a', type: 'sql' } });
    expect(body).toEqual({ skill: { [name.slice(0, 10_000)]: 1, name: 'a', type: 'sql' } });
    const own = { skill: { name: 'a', type: 'sql', params: { [name]: 1 } } };
    expect(excerpt('createSkill', own).body).toBe(own);
  });

  test('has the beginning of a name that is longer than its limit', () => {
    const name = '/'.repeat(100_000);
    const { body, isShortened } = excerpt('completeResponse', {
      model: 'a',
      input: 'b',
      metadata: { a: 'c', [name]: 1 },
    });
    expect(isShortened).toBe(true);
    expect(body).toEqual({ model: 'a', input: 'b', metadata: { a: 'c', [name.slice(0, 130)]: 1 } });
  });

  test('ends its arrays after 200 faulty items', () => {
    const mixed = Array.from({ length: 1000 }, (_, index) => (index % 2 === 0 ? `s${index}` : {}));
    const { body, isShortened } = excerpt('updateAgent', {
      agent: { skills_to_add: mixed, skills_to_remove: ['a', 1, 'b'] },
    });
    expect(isShortened).toBe(true);
    expect(body).toEqual({ agent: { skills_to_add: mixed.slice(0, 401), skills_to_remove: ['a'] } });
  });

  test("has all of the caller's own keys", () => {
    const body = { skill: { name: 'a', type: 'sql', params: numbered(2000) } };
    expect(excerpt('createSkill', body).body).toBe(body);
  });

  test('has all items that fit any of the alternatives', () => {
    const messages = Array.from({ length: 1000 }, () => ({ role: 'user', content: 'Hello?' }));
    expect(excerpt('completeAgent', { messages }).body).toEqual({ messages });
  });

  test('has all rows to predict', () => {
    const rows = Array.from({ length: 1000 }, () => null);
    expect(excerpt('predict', rows).body).toBe(rows);
  });
});

test('the excerpt of a query has the first 200 values of each parameter', () => {
  const listSkills = contract.operations.find(({ id }) => id === 'listSkills') ?? expect.fail();
  const agent = Array.from({ length: 1000 }, () => '!');
  expect(takeExcerpt(listSkills, undefined, { agent, limit: '0' })).toEqual({
    query: { agent: agent.slice(0, 200), limit: '0' },
    isShortened: true,
  });
});

describe('a text that is longer than its limit', () => {
  const getRecord = contract.operations.find(({ id }) => id === 'getRecord') ?? expect.fail();
  const column = (length: number, character = 'a') => ({ column: character.repeat(length) });

  test('is cut in the excerpt, and is too long there, too', () => {
    expect(takeExcerpt(getRecord, undefined, column(15_000))).toEqual({ query: column(2002), isShortened: true });
    const { query } = takeExcerpt(getRecord, undefined, column(5000, '😀'));
    expect([...String(query['column'])].length).toBe(1001);
    const { body, isShortened } = excerpt('createSkill', { skill: { name: 'a'.repeat(100_000), type: 'sql' } });
    expect(JSON.stringify(body).length).toBeLessThan(1000);
    expect(isShortened).toBe(true);
  });

  test('is left as it is where it may have any length', () => {
    const body = { skill: { name: 'a', type: 'sql', params: { text: 'a'.repeat(100_000) } } };
    expect(excerpt('createSkill', body).body).toBe(body);
  });
});
