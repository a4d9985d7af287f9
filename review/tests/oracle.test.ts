/**
 * Tests the review against a validator: if a value is valid by the old schema only, the review must report that
 * senders break; if it is valid by the new schema only, the review must report that the schema was widened.
 */
import Ajv2020 from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareContracts } from '../src/compare.js';
import { readContract } from '../src/contract.js';
import { breaks, isRemark } from '../src/finding.js';
import { choice, NAMES, type Schema, schemas } from './random-schemas.js';
import { makeContract } from './small-contract.js';

// Formats are only compared, since validators differ in what they accept.
const ajv = new Ajv2020.default({ strict: false, validateFormats: false, ownProperties: true });

// The alternatives of a `oneOf` are compared as if they were disjoint, so it is not used here.
const ANY = schemas(choice('anyOf', 'allOf'));

const { value: values } = fc.letrec<{ value: unknown; array: unknown; object: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom('', 'a', 'b', 'ab', 'abbb', 'accccccb', null, true, 0, 1, 2.5, 4, 6),
    tie('array'),
    tie('object'),
  ),
  array: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(fc.constantFrom(...NAMES), tie('value'), { maxKeys: 3 }),
}));

function findings(before: Schema, after: Schema) {
  return compareContracts({
    before: readContract(makeContract(before), 'the old version'),
    after: readContract(makeContract(after), 'the new version'),
  });
}

test('the review reports every value that is refused now', () => {
  let refused = 0;
  fc.assert(
    fc.property(ANY, ANY, fc.array(values, { minLength: 30, maxLength: 60 }), (before, after, samples) => {
      const [old, now] = [ajv.compile(before), ajv.compile(after)];
      const lost = samples.find((value) => old(value) && !now(value));
      if (lost === undefined) return;
      refused++;
      const sender = findings(before, after)
        .filter(breaks)
        .map(({ party }) => party);
      expect(sender, JSON.stringify(lost)).toContain('sender');
    }),
    { numRuns: 150 },
  );
  expect(refused, 'the test has met such values').toBeGreaterThan(20);
});

test('the review reports every value that is allowed now', () => {
  fc.assert(
    fc.property(ANY, ANY, fc.array(values, { minLength: 30, maxLength: 60 }), (before, after, samples) => {
      const [old, now] = [ajv.compile(before), ajv.compile(after)];
      if (!samples.some((value) => !old(value) && now(value))) return;
      expect(findings(before, after).filter((one) => !isRemark(one))).not.toEqual([]);
    }),
  );
});
