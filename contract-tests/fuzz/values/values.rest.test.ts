/** Tests that generated values are valid or invalid as intended, so that findings are faults of the service. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findFaults } from '../../../testkit/openapi/schema.js';
import { listMutations } from '../mutations/schema-mutations.js';
import { targets } from '../operations.js';
import { makeDrafts, makeValues } from './values.js';

const used = targets.flatMap(({ id, bodies, parameters }) => [
  ...bodies.map(([mediaType, schema]) => ({ what: `${id} ${mediaType}`, schema })),
  ...parameters.map(({ name, schema }) => ({ what: `${id} ${name}`, schema })),
]);

/** Operations share most of their schemas. */
const schemas = [...new Map(used.map((use) => [JSON.stringify(use.schema), use])).values()];

describe.each(schemas)('$what', ({ schema }) => {
  test('generates valid values, most of them at the first attempt', () => {
    fc.assert(
      fc.property(makeValues(schema), (value) => {
        expect(findFaults(schema, value)).toEqual([]);
      }),
      { numRuns: 30 },
    );
    const drafts = fc.sample(makeDrafts(schema), 60);
    const valid = drafts.filter((draft) => findFaults(schema, draft).length === 0);
    expect(valid.length).toBeGreaterThan(drafts.length / 2);
  });

  test('has mutations that break the intended keyword', () => {
    fc.assert(
      fc.property(makeValues(schema), fc.nat(), (value, which) => {
        const breaks = listMutations(schema, value);
        const broken = breaks[which % breaks.length];
        const made = broken?.make();
        if (made === undefined) return;
        expect(findFaults(schema, made.value)).toContainEqual({ keyword: broken?.keyword, pointer: broken?.pointer });
      }),
      { numRuns: 30 },
    );
  });
});

test('mutations break every keyword that the requests of the contract use', () => {
  const keywords = new Set<string>();
  const mutations = schemas.flatMap(({ schema }) =>
    fc.sample(makeValues(schema), 40).flatMap((value) => listMutations(schema, value)),
  );
  for (const { keyword, make } of mutations) {
    // Making one may take long: some have more items than a list may have.
    if (!keywords.has(keyword) && make() !== undefined) keywords.add(keyword);
  }
  const known = [
    ...['type', 'required', 'additionalProperties', 'minLength', 'maxLength', 'pattern', 'format'],
    ...['minimum', 'maximum', 'maxItems', 'maxProperties', 'oneOf'],
  ];
  expect([...keywords]).toEqual(expect.arrayContaining(known));
});
