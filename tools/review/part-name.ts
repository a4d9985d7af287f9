import { splitPointer, valueAt } from '../../server/contract/json-pointer.js';
import { asRecord } from '../../server/contract/json-record.js';
import { type Contract, texts } from './contract/contract.js';
import type { Pair } from './schema/comparison.js';

/** Steps of a pointer that say nothing to a reader. */
const STRUCTURE = new Set([
  'components',
  'schemas',
  'properties',
  'content',
  'schema',
  'responses',
]);

/** Returns the words for a part of a contract, such as `getSkill 200 description` or `Skill name description`. */
export function partName({ before, after }: Pair<Contract>, pointer: string): string {
  const steps = splitPointer(pointer);
  const [section = '', path = '', method = '', ...rest] = steps;
  if (section !== 'paths' || path === '') return readable(steps);
  const at = pointer.split('/').slice(0, 4).join('/');
  const { operationId } = {
    ...asRecord(valueAt(before.document, at)),
    ...asRecord(valueAt(after.document, at)),
  };
  const [name] = texts([operationId]);
  if (name !== undefined) return [name, readable(rest)].filter(Boolean).join(' ');
  return [method.toUpperCase(), path, readable(rest)].filter(Boolean).join(' ');
}

function readable(steps: readonly string[]): string {
  return steps
    .filter((step, index) => index === steps.length - 1 || !STRUCTURE.has(step))
    .join(' ');
}
