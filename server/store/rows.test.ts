import { describe, expect, test } from 'vitest';
import { chunksBySize, jsonWriter } from './rows.js';

describe('a list is read in parts', () => {
  const entries = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, index) => ({ id: String(index), bytes }));

  test('of at most 128 small resources', () => {
    expect([...chunksBySize(entries(300, 10))].map(({ length }) => length)).toEqual([128, 128, 44]);
  });

  test('of at most 256 KiB, or one resource that is larger', () => {
    expect([...chunksBySize(entries(5, 100_000))].map(({ length }) => length)).toEqual([2, 2, 1]);
    expect([...chunksBySize(entries(2, 1_000_000))].map(({ length }) => length)).toEqual([1, 1]);
  });

  test('without any, if it is empty', () => {
    expect([...chunksBySize([])]).toEqual([]);
  });
});

const text = 'a "quoted" \u2028 text\n';
const open = { 2: -1.5e-9, k: [text, null], ['__proto__']: {} };

interface Resource {
  id: string;
  title: string | null;
  count: number;
  data: { tables: string[] } | null;
  skills: object[];
  settings: object;
  params: object;
}

const write = jsonWriter<
  Resource,
  Omit<Resource, 'data' | 'skills' | 'settings' | 'params'> & {
    readonly data: string | null;
    readonly skills: readonly string[];
    readonly settings: string;
    readonly hidden: string;
  }
>({
  id: 'value',
  title: 'value',
  count: 'value',
  data: { json: 'data' },
  skills: { json: 'skills' },
  settings: { json: 'settings' },
  params: { json: 'settings' },
});

test.each([
  { title: null, data: null, skills: [] },
  { title: text, data: { tables: [text] }, skills: [{ s: 1 }, { s: 2 }] },
])('the JSON of a row is that of JSON.stringify: %j', ({ title, data, skills }) => {
  const chunks = write({
    id: text,
    title,
    count: 3,
    data: data && JSON.stringify(data),
    skills: ['[', skills.map((skill) => JSON.stringify(skill)).join(), ']'],
    settings: JSON.stringify(open),
    hidden: 'no member',
  });
  expect(chunks.join('')).toBe(
    JSON.stringify({ id: text, title, count: 3, data, skills, settings: open, params: open }),
  );
});
