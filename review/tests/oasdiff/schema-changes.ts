/**
 * The changes of a schema that oasdiff has checks for, as pairs of YAML. The names are the ends of its ids: the same
 * change has a check for a body, a field, a parameter and a header.
 */
export const SCHEMA_CHANGES: Readonly<Record<string, readonly [before: string, after: string]>> = {
  'all-of-added': ['{allOf: [{type: string}]}', '{allOf: [{type: string}, {minLength: 2}]}'],
  'all-of-added-annotation-only': ['{allOf: [{type: string}]}', '{allOf: [{type: string}, {title: a}]}'],
  'all-of-removed': ['{allOf: [{type: string}, {minLength: 2}]}', '{allOf: [{type: string}]}'],
  'all-of-removed-annotation-only': ['{allOf: [{type: string}, {title: a}]}', '{allOf: [{type: string}]}'],
  'any-of-added': [
    '{anyOf: [{type: string}, {type: boolean}]}',
    '{anyOf: [{type: string}, {type: boolean}, {type: integer}]}',
  ],
  'any-of-removed': [
    '{anyOf: [{type: string}, {type: boolean}, {type: integer}]}',
    '{anyOf: [{type: string}, {type: boolean}]}',
  ],
  'one-of-added': [
    '{oneOf: [{type: string}, {type: boolean}]}',
    '{oneOf: [{type: string}, {type: boolean}, {type: integer}]}',
  ],
  'one-of-removed': [
    '{oneOf: [{type: string}, {type: boolean}, {type: integer}]}',
    '{oneOf: [{type: string}, {type: boolean}]}',
  ],
  'wrapped-in-one-of': ['{type: string}', '{oneOf: [{type: string, maxLength: 5}, {type: boolean}]}'],

  'became-enum': ['{type: string}', '{type: string, enum: [a]}'],
  'enum-value-added': ['{enum: [a]}', '{enum: [a, b]}'],
  'enum-value-removed': ['{enum: [a, b]}', '{enum: [a]}'],
  'x-extensible-enum-value-removed': [
    '{type: string, x-extensible-enum: [a, b]}',
    '{type: string, x-extensible-enum: [a]}',
  ],
  'const-added': ['{type: string}', '{type: string, const: a}'],
  'const-changed': ['{const: a}', '{const: b}'],
  'const-removed': ['{type: string, const: a}', '{type: string}'],
  'default-value-added': ['{type: string}', '{type: string, default: a}'],
  'default-value-changed': ['{type: string, default: a}', '{type: string, default: b}'],
  'default-value-removed': ['{type: string, default: a}', '{type: string}'],

  'became-nullable': ['{type: string}', '{type: [string, "null"]}'],
  'became-not-nullable': ['{type: [string, "null"]}', '{type: string}'],
  'type-changed': ['{type: string}', '{type: object}'],
  'type-generalized': ['{type: integer}', '{type: number}'],
  'type-specialized': ['{type: number}', '{type: integer}'],
  'type-compatible': ['{type: number, format: float}', '{type: number}'],
  'list-of-types-narrowed': ['{type: [string, integer]}', '{type: [string]}'],
  'list-of-types-widened': ['{type: [string]}', '{type: [string, integer]}'],

  'pattern-added': ['{type: string}', '{type: string, pattern: a}'],
  'pattern-changed': ['{type: string, pattern: a}', '{type: string, pattern: b}'],
  'pattern-generalized': ['{type: string, pattern: a}', '{type: string, pattern: ".*"}'],
  'pattern-removed': ['{type: string, pattern: a}', '{type: string}'],
  'content-encoding-changed': ['{type: string, contentEncoding: base64}', '{type: string, contentEncoding: base16}'],
  'content-media-type-changed': ['{type: string, contentMediaType: a/b}', '{type: string, contentMediaType: a/c}'],
  'content-schema-added': ['{type: string}', '{type: string, contentSchema: {type: object}}'],
  'content-schema-removed': ['{type: string, contentSchema: {type: object}}', '{type: string}'],

  ...bounds('max', 'number', 'maximum'),
  ...bounds('min', 'number', 'minimum'),
  ...bounds('exclusive-max', 'number', 'exclusiveMaximum'),
  ...bounds('exclusive-min', 'number', 'exclusiveMinimum'),
  ...bounds('max-length', 'string', 'maxLength'),
  ...bounds('min-length', 'string', 'minLength'),
  ...bounds('max-items', 'array', 'maxItems'),
  ...bounds('min-items', 'array', 'minItems'),
  ...bounds('max-contains', 'array', 'contains: {type: string}, maxContains'),
  ...bounds('min-contains', 'array', 'contains: {type: string}, minContains'),

  ...keyword('contains', 'array', 'contains: {type: string}'),
  ...keyword('prefix-items', 'array', 'prefixItems: [{type: string}]'),
  ...keyword('unevaluated-items', 'array', 'unevaluatedItems: false'),
  ...keyword('dependent-required', 'object', 'dependentRequired: {a: [b]}'),
  'dependent-required-changed': [
    '{type: object, dependentRequired: {a: [b]}}',
    '{type: object, dependentRequired: {a: [c]}}',
  ],
  ...keyword('dependent-schema', 'object', 'dependentSchemas: {a: {required: [b]}}'),
  ...keyword('pattern-property', 'object', 'patternProperties: {"^a": {type: string}}'),
  ...keyword('property-names', 'object', 'propertyNames: {maxLength: 3}'),
  ...keyword('unevaluated-properties', 'object', 'unevaluatedProperties: false'),
  ...keyword('if', 'object', 'if: {required: [a]}, then: {required: [b]}'),
  'then-added': [
    '{type: object, if: {required: [a]}, else: {required: [c]}}',
    '{type: object, if: {required: [a]}, then: {required: [b]}, else: {required: [c]}}',
  ],
  'then-removed': [
    '{type: object, if: {required: [a]}, then: {required: [b]}, else: {required: [c]}}',
    '{type: object, if: {required: [a]}, else: {required: [c]}}',
  ],
  'else-added': [
    '{type: object, if: {required: [a]}, then: {required: [c]}}',
    '{type: object, if: {required: [a]}, then: {required: [c]}, else: {required: [b]}}',
  ],
  'else-removed': [
    '{type: object, if: {required: [a]}, then: {required: [c]}, else: {required: [b]}}',
    '{type: object, if: {required: [a]}, then: {required: [c]}}',
  ],

  'discriminator-added': discriminators('', ', discriminator: {propertyName: k}'),
  'discriminator-removed': discriminators(', discriminator: {propertyName: k}', ''),
  'discriminator-property-name-changed': discriminators(
    ', discriminator: {propertyName: k}',
    ', discriminator: {propertyName: l}',
  ),
  'discriminator-mapping-added': discriminators(
    ', discriminator: {propertyName: k, mapping: {a: A}}',
    ', discriminator: {propertyName: k, mapping: {a: A, b: B}}',
  ),
  'discriminator-mapping-changed': discriminators(
    ', discriminator: {propertyName: k, mapping: {a: A}}',
    ', discriminator: {propertyName: k, mapping: {a: B}}',
  ),
  'discriminator-mapping-deleted': discriminators(
    ', discriminator: {propertyName: k, mapping: {a: A, b: B}}',
    ', discriminator: {propertyName: k, mapping: {a: A}}',
  ),
};

type Changes = Record<string, readonly [before: string, after: string]>;

function bounds(name: string, type: string, keyword: string): Changes {
  const schema = (value?: number) => `{type: ${type}${value === undefined ? '' : `, ${keyword}: ${value}`}}`;
  return {
    [`${name}-increased`]: [schema(3), schema(5)],
    [`${name}-decreased`]: [schema(5), schema(3)],
    [`${name}-set`]: [schema(), schema(5)],
    [`${name}-unset`]: [schema(5), schema()],
  };
}

function keyword(name: string, type: string, stated: string): Changes {
  const [without, having] = [`{type: ${type}}`, `{type: ${type}, ${stated}}`];
  return { [`${name}-added`]: [without, having], [`${name}-removed`]: [having, without] };
}

function discriminators(before: string, after: string): readonly [string, string] {
  const schema = (rest: string) =>
    `{oneOf: [{type: object, required: [k], properties: {k: {const: a}}}, {type: object, required: [k], properties: {k: {const: b}}}]${rest}}`;
  return [schema(before), schema(after)];
}
