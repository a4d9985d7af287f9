import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../../testkit/any-text.js';
import { indexTerms, queryTerms } from './terms.js';

test.each([
  ['Café, STRASSE & straße!', 'cafe strasse strasse'],
  ['ﬁne Ｗidth ½', 'fine width 1 2'],
  ['Łódź Ärger naïve', 'łodz arger naive'],
  ['ΟΔΟΣ οδός', 'οδος οδος'],
  ['हिन्दी शब्द', 'हिन्दी शब्द'],
  ['日本語text', '日 本 語 text'],
  ['ダイヤモンド', 'ダ イ ヤ モ ン ド'],
  ['다이아 몬드', '다 이 아 몬 드'],
  ['a_b c-d 3.5', 'a b c d 3 5'],
  ['" NEAR( * : ^ - | & ! <->', 'near'],
])('the terms of %s are %s', (text, terms) => {
  expect(indexTerms(text)).toBe(terms);
});

test('the terms of a query are its words once, and pairs of characters without spaces', () => {
  expect(queryTerms('clean Clean 日本語 字')).toEqual(['clean', '日 本', '本 語', '字']);
  expect(queryTerms('!?* "')).toEqual([]);
});

test('common words of English count only in a query that has no others', () => {
  expect(queryTerms('How do I clean a diamond?')).toEqual(['clean', 'diamond']);
  expect(queryTerms('The Who')).toEqual(['the', 'who']);
});

test('a query of any length has few terms', () => {
  const words = Array.from({ length: 10_000 }, (_, index) => `w${index}`);
  expect(queryTerms(words.join(' '))).toHaveLength(16);
});

test('terms consist of letters, digits and marks, whatever the text', () => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), (text) => {
      expect(indexTerms(text)).toMatch(/^([\p{L}\p{N}\p{M}]{1,64}( |$))*$/u);
      for (const term of queryTerms(text)) expect(` ${indexTerms(text)} `).toContain(` ${term} `);
    }),
    { numRuns: 500 },
  );
});
