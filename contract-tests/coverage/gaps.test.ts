/** A promise that no test keeps, a reason that none needs, and one for what is no longer there, are each found. */
import { describe, expect, test } from 'vitest';
import { compare } from './compare.js';
import { matrix } from './matrix.js';
import { promises } from './promises.js';
import { contract, createPen } from './small-contract.js';

const promised = promises(contract, [createPen]);
const ids = promised.map(({ id }) => id);

test('the contract promises examples, statuses and headers, and answers that belong to no operation', () => {
  expect(ids).toEqual([
    'createPen request pen',
    'createPen parameter limit ten',
    'createPen parameter colour both',
    'createPen 201',
    'createPen 201 header Location',
    'createPen 201 example pen',
    'createPen 409',
    'createPen 409 example taken',
    'createPen 409 example faulty',
    'fault /problems/invalid: must have at most … character',
    'Nowhere 404',
  ]);
});

describe('held against what was exercised', () => {
  const because = 'Nobody can.';

  test('nothing is missing where all was exercised', () => {
    expect(compare(promised, new Set(ids), [])).toMatchObject({
      gaps: [],
      needless: [],
      stale: [],
    });
  });

  test.each(ids)('a gap is found: %s', (id) => {
    const others = new Set(ids.filter((other) => other !== id));
    expect(compare(promised, others, []).gaps).toEqual([id]);
    expect(compare(promised, others, [{ promises: [id], because }])).toMatchObject({
      gaps: [],
      needless: [],
      stale: [],
    });
  });

  test('a reason for what is exercised is needless', () => {
    const reasons = [{ promises: ['createPen 409 *'], because }];
    const exercised = new Set(ids.filter((id) => id !== 'createPen 409 example faulty'));
    expect(compare(promised, exercised, reasons)).toMatchObject({
      gaps: [],
      needless: ['createPen 409 example taken'],
    });
  });

  test('a reason for what the contract does not promise is stale', () => {
    const reasons = [{ promises: ['createPen 418', 'erasePen *'], because }];
    expect(compare(promised, new Set(ids), reasons).stale).toEqual(['createPen 418', 'erasePen *']);
  });

  test('a pattern means no more than it says', () => {
    const reasons = [{ promises: ['createPen 201'], because }];
    expect(compare(promised, new Set(), reasons).gaps).toContain('createPen 201 example pen');
  });

  test('the matrix shows each, with its words', () => {
    const reasons = [{ promises: ['createPen 201', 'createPen 201 *', 'createPen 418'], because }];
    const exercised = new Set(['createPen 409', 'createPen 201']);
    const text = matrix(promised, exercised, compare(promised, exercised, reasons));
    expect(text).toContain('| createPen | ✗ 0/3 | · 1/3 |  | ✗ 1/3 |');
    expect(text).toContain('Nobody can.');
    expect(text).toContain('- `createPen 409 example taken`');
    expect(text).toMatch(/for what is exercised: remove them\n\n- `createPen 201`/);
    expect(text).toMatch(/does not promise: remove them\n\n- `createPen 418`/);
  });
});
