/** Properties that hold for any schemas: equality, additions, and the symmetry of both directions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareContracts } from '../src/compare.js';
import { readContract } from '../src/contract.js';
import { choice, type Schema, schemas } from './random-schemas.js';
import { broken, makeContract, review, summarize } from './small-contract.js';

test('a schema does not differ from itself', () => {
  fc.assert(
    fc.property(schemas(choice('oneOf', 'anyOf', 'allOf')), (schema) => {
      expect(summarize(review(makeContract(schema), makeContract(schema)))).toEqual([]);
    }),
  );
});

test('an optional field breaks nobody, wherever it is added', () => {
  fc.assert(
    fc.property(schemas(choice('oneOf', 'anyOf', 'allOf')), schemas(choice('oneOf', 'anyOf')), (schema, field) => {
      const object = (properties: Schema) => makeContract({ type: 'array', items: { type: 'object', properties } });
      const found = review(object({ here: schema }), object({ here: schema, new: field }));
      expect(broken(found)).toEqual([]);
      expect(found.added.length).toBeGreaterThan(0);
    }),
  );
});

test('an added alternative breaks readers, and a removed one breaks senders', () => {
  const boolean = { type: 'boolean' };
  fc.assert(
    fc.property(schemas(), (schema) => {
      const one = makeContract(schema);
      const two = makeContract({ oneOf: [schema, boolean] });
      expect(broken(review(one, two))).toEqual(['reader']);
      expect(broken(review(two, one))).toEqual(['sender']);
    }),
  );
});

test('narrowing never breaks readers, and widening never breaks senders', () => {
  const narrowed = (schema: Schema) => ({ allOf: [schema, { maxLength: 1, maximum: 1, maxItems: 0 }] });
  fc.assert(
    fc.property(schemas(), (schema) => {
      expect(broken(review(makeContract(schema), makeContract(narrowed(schema))))).not.toContain('reader');
      expect(broken(review(makeContract(narrowed(schema)), makeContract(schema)))).not.toContain('sender');
    }),
  );
});

/** The kind of a difference in the reverse direction. */
const BACK: Readonly<Record<string, string>> = {
  'field-added': 'field-removed',
  'required-field-added': 'required-field-removed',
  'required-now': 'optional-now',
  'type-narrowed': 'type-widened',
  'null-removed': 'null-added',
  'value-removed': 'value-added',
  'bound-tightened': 'bound-loosened',
  'pattern-added': 'pattern-removed',
  'format-narrowed': 'format-widened',
};
const FORTH = Object.fromEntries(Object.entries(BACK).map(([rule, back]) => [back, rule]));

test('the reverse direction has the same differences, mirrored', () => {
  const rules = (before: Schema, after: Schema) =>
    compareContracts({
      before: readContract(makeContract(before), 'the old version'),
      after: readContract(makeContract(after), 'the new version'),
    }).map(({ rule, party, path, was, is }) => ({ rule: String(rule), party, path, was, is }));
  const sorted = (list: readonly object[]) => list.map((one) => JSON.stringify(one)).sort();
  fc.assert(
    fc.property(schemas(), schemas(), (one, other) => {
      const mirrored = rules(other, one).map(({ rule, party, path, was, is }) => ({
        rule: BACK[rule] ?? FORTH[rule] ?? rule,
        party,
        path,
        was: is,
        is: was,
      }));
      expect(sorted(rules(one, other))).toEqual(sorted(mirrored));
    }),
    { numRuns: 100 },
  );
});
