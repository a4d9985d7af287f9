import type { JsonRecord } from '../../../server/contract/json-record.js';
import { member } from '../contract/contract.js';

interface WithParts {
  readonly parts: readonly JsonRecord[];
}

/** Returns every value of a keyword in the parts, with its part. */
export function statements(
  { parts }: WithParts,
  keyword: string,
): { part: JsonRecord; value: unknown }[] {
  return parts
    .map((part) => ({ part, value: member(part, keyword) }))
    .filter(({ value }) => value !== undefined);
}

/** Whether a part has the keyword with this value. */
export function says({ parts }: WithParts, keyword: string, value: unknown): boolean {
  return parts.some((part) => part[keyword] === value);
}
