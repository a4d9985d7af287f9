import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LinearPattern, PatternError } from './linear-pattern.js';

const ENDLESS = { spend: () => {} };

const atom = fc.constantFrom('a', 'b', 'ab', '[ab]', '[^a]', '\\d', '\\w', '.', '\\u0061', '\\.', '\\b', '^', '$');
const { pattern } = fc.letrec<{ pattern: string; part: string }>((tie) => ({
  pattern: fc.array(tie('part'), { maxLength: 4 }).map((parts) => parts.join('')),
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc
      .tuple(fc.constantFrom('(', '(?:', '(?=', '(?!'), tie('pattern'), tie('pattern'))
      .map(([open, a, b]) => `${open}${a}|${b})`),
    fc
      .tuple(fc.constantFrom('a', '[ab]', '\\w'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'))
      .map((parts) => parts.join('')),
    fc
      .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,3}'))
      .map(([group, quantifier]) => `(?:${group})${quantifier}`),
  ),
}));

test('a pattern matches what it matches in JavaScript', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '1', ' ', '\n', 'é', '😀'), maxLength: 6 });
  fc.assert(
    fc.property(pattern, text, (source, given) => {
      expect(new LinearPattern(source).test(given, ENDLESS)).toBe(new RegExp(source, 'u').test(given));
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['^(a+)+$', 60_000],
  ['^(([a-z])+.)+[A-Z]([a-z])+$', 60_000],
  ['(?:x*)*y', 60_000],
])('%s takes steps in proportion to the text', (source, length) => {
  let steps = 0;
  const counted = { spend: (count: number) => (steps += count) };
  const text = `${'a'.repeat(length)}!`;
  expect(new LinearPattern(source).test(text, counted)).toBe(false);
  expect(steps).toBeLessThan(50 * length);
});

test('choices that all lead to one state are steps, too', () => {
  let steps = 0;
  const counted = { spend: (count: number) => (steps += count) };
  expect(new LinearPattern(`(?:${'|'.repeat(900)})z`).test('a'.repeat(100), counted)).toBe(false);
  expect(steps).toBeGreaterThan(90_000);
});

test.each([
  '(a',
  'a)',
  '[a',
  '(a)\\1',
  '(?<=a)b',
  '*a',
  'a{3,2}',
  '(?i:a)',
  'x'.repeat(1001),
  '(a{500}){500}',
  '('.repeat(60),
])('the pattern %s is refused', (source) => {
  expect(() => new LinearPattern(source)).toThrow(PatternError);
});
