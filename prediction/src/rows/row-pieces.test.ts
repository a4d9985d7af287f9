import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JSON_FORM } from './row-pieces.js';

const numbers = fc.oneof(
  fc.integer({ min: -200_000_000, max: 200_000_000 }).map((value) => value / 100),
  fc.integer({ min: -2_000_000, max: 2_000_000 }).map((value) => value / 1000),
  fc.double(),
  fc.constantFrom(0, -0, 0.1 + 0.2, 999_999.99, 1e6, 1e21, 5e-324, Number.NaN, Number.POSITIVE_INFINITY),
);
const values = fc.oneof(
  numbers,
  fc.string({ unit: 'binary' }),
  fc.constantFrom('', '\ud800', '\u2028', '🙂'),
  fc.jsonValue(),
);

test('values and numbers are written as JSON.stringify writes them', () => {
  fc.assert(
    fc.property(numbers, values, (number, value) => {
      if (Number.isFinite(number)) expect(JSON_FORM.numberText(number)).toBe(JSON.stringify(number));
      expect(JSON_FORM.valueText(value)).toBe(JSON.stringify(value));
    }),
    { numRuns: 2000 },
  );
});
