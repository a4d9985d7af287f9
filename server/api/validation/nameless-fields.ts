import type { Contract } from '../../contract/document.js';
import { escapeToken } from '../../contract/json-pointer.js';
import { asRecord } from '../../contract/json-record.js';

/**
 * Finds fields with an empty name in objects that allow no unknown fields. The validator reports
 * that there is one, but not where.
 * @returns the pointers to them (RFC 6901)
 */
export function namelessFields(
  contract: Contract,
  schema: unknown,
  value: unknown,
  pointer = '/body',
): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) {
    const [items] = contract.alternatives(schema).flatMap(({ items }) => items ?? []);
    return value.flatMap((item, at) => namelessFields(contract, items, item, `${pointer}/${at}`));
  }
  const alternatives = contract.alternatives(schema);
  const isClosed = alternatives.some(({ additionalProperties }) => additionalProperties === false);
  const here = isClosed && Object.hasOwn(value, '') ? [`${pointer}/`] : [];
  const within = alternatives
    .flatMap(({ properties }) => Object.entries(asRecord(properties)))
    .filter(([name]) => Object.hasOwn(value, name))
    .flatMap(([name, field]) =>
      namelessFields(contract, field, asRecord(value)[name], `${pointer}/${escapeToken(name)}`),
    );
  return [...here, ...within];
}
