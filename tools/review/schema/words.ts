import { asRecord } from '../../../server/contract/json-record.js';
import type { Type } from './types.js';

/** Returns the canonical JSON of a value, with sorted keys, so that equal values have equal texts. */
export function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? ''
  );
}

const ALL_TYPES = 7;

/** Formats types as a contract writes them: `string or null`. */
export function typeWords(types: ReadonlySet<Type>): string {
  if (types.size === ALL_TYPES) return 'any value';
  const names = [...types]
    .filter((type) => !(type === 'integer' && types.has('fraction')))
    .map((type) => (type === 'fraction' ? 'number' : type));
  // null comes last, as in a contract.
  return (
    [...names.filter((name) => name !== 'null'), ...names.filter((name) => name === 'null')].join(
      ' or ',
    ) || 'nothing'
  );
}

/** Returns the name of the component that a reference leads to. */
export function componentName(schema: unknown): string | undefined {
  const { $ref } = asRecord(schema);
  return typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : undefined;
}

/** Returns the path of a field below another: `.name`, or `["a name with spaces"]`. */
export function fieldPath(name: string): string {
  return /^[\w$-]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
