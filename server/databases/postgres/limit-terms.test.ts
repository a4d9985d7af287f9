import fc from 'fast-check';
import { expect, test } from 'vitest';
import { limitTerms, MAX_NESTING, MAX_TERMS } from './statement-parser.js';

/** One term each, with what would be many terms elsewhere. */
const VALUES = [
  "'1 + 1 '' + -- /* $$ \" \\'",
  "E'1 + 1 \\' + \\\\'",
  "e'\\\\\\''",
  '"1 + 1 "" + -- /* $$ \' ("',
  '$$1 + \' " ((($$',
  "$a$1 + $$ $b$ ' (([$a$",
  '$é1$ - - - $ $é1$',
  'a$b$c',
  'é',
  '12e5',
];

/** No terms. */
const GAPS = [' ', '\n', '\t', '-- 1 + \' " (\n', "/* 1 + /* ' */ $$ */", ', ', '.', ' () '];

const some = (parts: readonly string[]) => fc.constantFrom(...parts);

test('the terms of a statement are counted, whatever is in its texts and comments', () => {
  const pieces = fc.array(fc.tuple(some(VALUES), some(GAPS)), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(pieces, (pairs) => {
      // Without a blank, a text may continue the one before.
      const start = pairs.map(([value, gap]) => ` ${value} ${gap}`).join('');
      const left = MAX_TERMS - pairs.length;
      expect(() => limitTerms(start + ' 1'.repeat(left))).not.toThrow();
      expect(() => limitTerms(start + ' 1'.repeat(left + 1))).toThrow(
        `more than ${MAX_TERMS} words, values and operators`,
      );
    }),
    { numRuns: 30 },
  );
});

test.each(['+', '- ', '!', '::', 'not ', '1+', "'a' ", "E'\\'' ", '"" ', '$$$$', ';'])(
  'a statement of very many %s is refused',
  (term) => {
    expect(() => limitTerms(`select ${term.repeat(MAX_TERMS)}`)).toThrow(/more than 5000/);
  },
);

test('parentheses and brackets nest to a bound, and may be many', () => {
  const nested = (depth: number) => `select ${'(['.repeat(depth / 2)}1${'])'.repeat(depth / 2)}`;
  expect(() => limitTerms(nested(MAX_NESTING))).not.toThrow();
  expect(() => limitTerms(nested(MAX_NESTING + 2))).toThrow('deeper than 200 levels');
  expect(() => limitTerms(`select ${'(1),'.repeat(4_000)}1`)).not.toThrow();
});

test('comments nest to a bound, and may be many', () => {
  const nested = (depth: number) => `select ${'/*'.repeat(depth)}${'*/'.repeat(depth)} 1`;
  expect(() => limitTerms(nested(MAX_NESTING))).not.toThrow();
  expect(() => limitTerms(nested(MAX_NESTING + 1))).toThrow('nests comments deeper than 200 levels');
  expect(() => limitTerms(`select ${'/**/'.repeat(3_000)} 1`)).not.toThrow();
});
