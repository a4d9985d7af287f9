import { YAMLException } from 'js-yaml';

/** The most values of a document in which each alias is written out, since each of them is compared. */
const MAX_VALUES = 5_000_000;

/**
 * Refuses a document whose aliases make a cycle, or too much: a few lines can stand for more values than any memory
 * has. Each part is counted once.
 *
 * @throws {YAMLException}
 */
export function refuseAliases(document: unknown): void {
  if (countValues(document, new Map()) <= MAX_VALUES) return;
  throw new YAMLException(
    `its aliases stand for more than ${MAX_VALUES} values; use schemas and $ref in place of aliases`,
  );
}

/** @param counts the values of the parts that are counted; null while a part is */
function countValues(value: unknown, counts: Map<object, number | null>): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = counts.get(value);
  if (known === null) throw new YAMLException('an alias leads back to itself');
  if (known !== undefined) return known;
  counts.set(value, null);
  let count = 1;
  for (const child of Object.values(value)) count += countValues(child, counts);
  counts.set(value, count);
  return count;
}
