import { expect, test } from 'vitest';
import { wilson } from './statistics.js';

/** Figures of method 3 in Newcombe, Statistics in Medicine 17 (1998), table I. */
test.each([
  [81, 263, 0.2553, 0.3662],
  [15, 148, 0.0624, 0.1605],
  [0, 20, 0, 0.1611],
  [1, 29, 0.0061, 0.1718],
])('of %d in %d rows, the band is that of Wilson', (count, rows, low, high) => {
  expect(wilson(count / rows, rows).map((end) => Number(end.toFixed(4)))).toEqual([low, high]);
});
