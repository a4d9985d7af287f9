import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CutGrid } from './bin-mapper.js';

test('a grid counts the cuts below any value as a linear search does', () => {
  const number = fc.oneof(
    fc.double({ noNaN: true }),
    fc.integer({ min: -20, max: 20 }),
    fc.constantFrom(Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 0, 1e-300),
  );
  const cuts = fc
    .uniqueArray(number.filter(Number.isFinite), { maxLength: 254 })
    .map((values) => [...new Set(values.map((value) => value + 0))].sort((a, b) => a - b));
  fc.assert(
    fc.property(cuts, fc.array(number), (cuts, values) => {
      const grid = new CutGrid(cuts);
      for (const value of [...values, ...cuts]) {
        expect(grid.countBelow(value)).toBe(cuts.filter((cut) => cut < value).length);
      }
    }),
  );
});
