import { escapeToken } from '../../server/contract/json-pointer.js';
import { asRecord } from '../../server/contract/json-record.js';
import { NAMED } from './contract/references.js';
import { canonical } from './schema/words.js';

/** Keywords with text for people. They are not compared, but a change is listed. */
const PROSE = new Set([
  'title',
  'summary',
  'description',
  'example',
  'examples',
  'externalDocs',
  'tags',
  'contact',
  'license',
  'x-roster-message',
]);

/** Returns the JSON pointers at which the prose or the examples of the versions differ. */
export function changedProse(before: unknown, after: unknown): string[] {
  const changed: string[] = [];
  const seen = new Set<unknown>();
  const compare = (old: unknown, now: unknown, at: string, named: boolean): void => {
    if (typeof now !== 'object' || now === null || seen.has(now)) return;
    seen.add(now);
    for (const [key, child] of Object.entries(now)) {
      const pointer = `${at}/${escapeToken(key)}`;
      const counterpart = Object.hasOwn(asRecord(old), key) ? asRecord(old)[key] : undefined;
      if (!named && PROSE.has(key)) {
        if (counterpart !== undefined && canonical(counterpart) !== canonical(child)) {
          changed.push(pointer);
        }
      } else {
        compare(counterpart, child, pointer, !named && NAMED.has(key));
      }
    }
  };
  compare(before, after, '', false);
  return changed;
}
