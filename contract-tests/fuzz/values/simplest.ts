import type { Place } from '../../../testkit/openapi/document.js';
import { boundOf, isValid, keywordsOf, requiredOf, typesOf } from './schema.js';

const TEXTS = ['a', '00000000-0000-4000-8000-000000000000', `${'a'.repeat(21)}A`, '*'];

/** Returns the simplest valid value that is not null, without optional fields. */
export function simplest(schema: Place): unknown {
  const { const: only, enum: some } = keywordsOf(schema);
  if (only !== undefined) return only;
  if (Array.isArray(some)) return some[0];
  const [branch] = schema.entries('oneOf');
  if (branch !== undefined) return simplest(branch[1]);
  const type = typesOf(schema).find((name) => name !== 'null');
  switch (type) {
    case 'boolean':
      return true;
    case 'string':
      return TEXTS.find((text) => isValid(schema, text)) ?? '';
    case 'integer':
    case 'number':
      return boundOf(schema, 'minimum', 0);
    case 'array':
      return Array.from({ length: boundOf(schema, 'minItems', 0) }, () =>
        simplest(schema.at('items')),
      );
    default:
      return Object.fromEntries(
        requiredOf(schema).map((name) => [name, simplest(schema.at('properties', name))]),
      );
  }
}
