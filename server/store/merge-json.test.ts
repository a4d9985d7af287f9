import { expect, test } from 'vitest';
import { jsonMembers, mergeJson } from './rows.js';

const PARAMS = { noun: 'skill', field: 'params' } as const;

const VALUES = {
  10: 1.5e-9,
  text: 'a "quoted" \\ \u2028 text\\',
  '"': '\\"',
  '\\': { '}': ']', deep: [[{ '{': '[' }], []] },
  '': [],
  '\ud800': {},
  2: null,
  ['__proto__']: { constructor: true },
};

test('the members of an object are found for any texts', () => {
  expect(jsonMembers('{}')).toEqual([]);
  expect(jsonMembers(JSON.stringify(VALUES))).toEqual(
    Object.entries(VALUES).map(([key, value]) => [key, JSON.stringify(value)]),
  );
});

test('a merged object is written as JSON.stringify writes it', () => {
  const stored = JSON.stringify({ b: VALUES, 7: [], gone: 1, ['__proto__']: 1 });
  const sent = { gone: null, unknown: null, b: 'new', 3: { a: null }, ['__proto__']: VALUES };
  const merged = { 3: { a: null }, 7: [], b: 'new', ['__proto__']: VALUES };
  expect(mergeJson(stored, sent, PARAMS)).toBe(JSON.stringify(merged));
  expect(mergeJson('{}', VALUES, PARAMS)).toBe(
    JSON.stringify(Object.fromEntries(Object.entries(VALUES).filter(([key]) => key !== '2'))),
  );
});
