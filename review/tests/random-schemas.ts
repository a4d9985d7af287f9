import fc from 'fast-check';

export interface Schema {
  readonly [keyword: string]: unknown;
}

const text: fc.Arbitrary<Schema> = fc.record(
  {
    type: fc.constantFrom('string', ['string', 'null']),
    minLength: fc.nat(3),
    maxLength: fc.integer({ min: 3, max: 9 }),
    pattern: fc.constantFrom('^a', 'b$'),
    format: fc.constantFrom('date', 'uri', 'uri-reference'),
  },
  { requiredKeys: ['type'] },
);
const number: fc.Arbitrary<Schema> = fc.record(
  {
    type: fc.constantFrom('number', 'integer', ['integer', 'null']),
    minimum: fc.nat(3),
    exclusiveMaximum: fc.integer({ min: 5, max: 9 }),
  },
  { requiredKeys: ['type'] },
);
const named: fc.Arbitrary<Schema> = fc
  .uniqueArray(fc.constantFrom('a', 'b', 1, null), { minLength: 2 })
  .map((values) => ({ enum: values }));
export const NAMES = ['a', 'b', 'c', 'constructor'];

/**
 * Generates schemas. Objects say whether they allow other fields; choices are used only if they are passed in.
 */
export function schemas(...others: fc.Arbitrary<Schema>[]): fc.Arbitrary<Schema> {
  const { schema } = fc.letrec<{ schema: Schema; object: Schema; array: Schema }>((tie) => ({
    schema: fc.oneof({ maxDepth: 3 }, text, number, named, ...others, tie('object'), tie('array')),
    object: fc
      .tuple(fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 3 }), fc.subarray(NAMES))
      .map(([properties, required]) => ({
        type: 'object',
        properties,
        required: required.filter((name) => Object.hasOwn(properties, name)),
        additionalProperties: false,
      })),
    array: fc.record(
      { type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(5) },
      { requiredKeys: ['type', 'items'] },
    ),
  }));
  return schema;
}

/** Generates schemas that combine others with one of the keywords. */
export function choice(...keywords: readonly string[]): fc.Arbitrary<Schema> {
  const branches = fc.array(schemas(), { minLength: 1, maxLength: 3 });
  return fc.tuple(fc.constantFrom(...keywords), branches).map(([keyword, list]): Schema => ({ [keyword]: list }));
}
