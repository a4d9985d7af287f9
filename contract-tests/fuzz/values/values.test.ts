/** What is made up from a schema is what it is said to be: otherwise a finding would be one of the test. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { breaksOf } from '../mutations/schema-mutations.js';
import { targets } from '../operations.js';
import { faultsOf } from './schema.js';
import { draftsOf, valuesOf } from './values.js';

const used = targets.flatMap(({ id, bodies, parameters }) => [
  ...bodies.map(([mediaType, schema]) => ({ what: `${id} ${mediaType}`, schema })),
  ...parameters.map(({ name, schema }) => ({ what: `${id} ${name}`, schema })),
]);

/** Operations share most of what they take. */
const schemas = [...new Map(used.map((use) => [JSON.stringify(use.schema), use])).values()];

describe.each(schemas)('$what', ({ schema }) => {
  test('values keep to the schema, and most drafts of them do', () => {
    fc.assert(
      fc.property(valuesOf(schema), (value) => {
        expect(faultsOf(schema, value)).toEqual([]);
      }),
      { numRuns: 30 },
    );
    const drafts = fc.sample(draftsOf(schema), 60);
    const valid = drafts.filter((draft) => faultsOf(schema, draft).length === 0);
    expect(valid.length).toBeGreaterThan(drafts.length / 2);
  });

  test('a broken value breaks the keyword that it is said to break', () => {
    fc.assert(
      fc.property(valuesOf(schema), fc.nat(), (value, which) => {
        const breaks = breaksOf(schema, value);
        const broken = breaks[which % breaks.length];
        const made = broken?.make();
        if (made === undefined) return;
        expect(faultsOf(schema, made.value)).toContainEqual({
          keyword: broken?.keyword,
          pointer: broken?.pointer,
        });
      }),
      { numRuns: 30 },
    );
  });
});

test('each keyword that the requests of the contract use is broken somewhere', () => {
  const keywords = new Set(
    schemas.flatMap(({ schema }) =>
      fc
        .sample(valuesOf(schema), 40)
        .flatMap((value) => breaksOf(schema, value))
        .filter(({ make }) => make() !== undefined)
        .map(({ keyword }) => keyword),
    ),
  );
  const known = [
    ...['type', 'required', 'additionalProperties', 'minLength', 'maxLength', 'pattern', 'format'],
    ...['minimum', 'maximum', 'maxItems', 'maxProperties', 'oneOf'],
  ];
  expect([...keywords]).toEqual(expect.arrayContaining(known));
});
