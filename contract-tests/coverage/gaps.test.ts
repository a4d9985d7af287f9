/** Tests that the comparison finds promises without a test, unnecessary reasons, and stale reasons. */
import { describe, expect, test } from 'vitest';
import { compare } from './compare.js';
import { matrix } from './matrix.js';
import { promises } from './promises.js';
import { contract, createPen } from './small-contract.js';

const promised = promises(contract, [createPen]);
const ids = promised.map(({ id }) => id);

test('promises lists examples, statuses and headers, and the answers that belong to no operation', () => {
  expect(ids).toEqual([
    'createPen request pen',
    'createPen parameter limit ten',
    'createPen parameter colour both',
    'createPen 201',
    'createPen 201 header Location',
    'createPen 409',
    'createPen 409 example taken',
    'createPen 409 example faulty',
    'fault /problems/invalid: must have at most … character',
    'Nowhere 404',
  ]);
});

describe('compare', () => {
  const because = 'Nobody can.';

  test('finds nothing if everything was exercised', () => {
    expect(compare(promised, new Set(ids), [])).toMatchObject({ gaps: [], needless: [], stale: [] });
  });

  test.each(ids)('finds a gap: %s', (id) => {
    const others = new Set(ids.filter((other) => other !== id));
    expect(compare(promised, others, []).gaps).toEqual([id]);
    expect(compare(promised, others, [{ promises: [id], because }])).toMatchObject({
      gaps: [],
      needless: [],
      stale: [],
    });
  });

  test('finds a needless reason for an exercised promise', () => {
    const reasons = [{ promises: ['createPen 409 *'], because }];
    const exercised = new Set(ids.filter((id) => id !== 'createPen 409 example faulty'));
    expect(compare(promised, exercised, reasons)).toMatchObject({
      gaps: [],
      needless: ['createPen 409 example taken'],
    });
  });

  test('takes no offence at a refusal for now that was met by chance', () => {
    const busy = { id: 'createPen 503 example busy', of: 'createPen', status: '503' };
    const reasons = [{ promises: [busy.id], because }];
    for (const exercised of [[], [busy.id]]) {
      expect(compare([busy], new Set(exercised), reasons)).toMatchObject({ gaps: [], needless: [] });
    }
  });

  test('finds a stale reason for a promise that the contract does not have', () => {
    const reasons = [{ promises: ['createPen 418', 'erasePen *'], because }];
    expect(compare(promised, new Set(ids), reasons).stale).toEqual(['createPen 418', 'erasePen *']);
  });

  test('takes a pattern literally except for its stars', () => {
    const reasons = [{ promises: ['createPen 201'], because }];
    expect(compare(promised, new Set(), reasons).gaps).toContain('createPen 201 header Location');
  });

  test('gives the matrix each kind with its reasons', () => {
    const reasons = [{ promises: ['createPen 201', 'createPen 201 *', 'createPen 418'], because }];
    const exercised = new Set(['createPen 409', 'createPen 201']);
    const text = matrix(promised, exercised, compare(promised, exercised, reasons));
    expect(text).toContain('| createPen | ✗ 0/3 | · 1/2 |  | ✗ 1/3 |');
    expect(text).toContain('Nobody can.');
    expect(text).toContain('- `createPen 409 example taken`');
    expect(text).toMatch(/for what is exercised: remove them\n\n- `createPen 201`/);
    expect(text).toMatch(/does not promise: remove them\n\n- `createPen 418`/);
  });
});
