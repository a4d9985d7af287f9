import { valueAt } from '../../../server/contract/json-pointer.js';
import { asRecord } from '../../../server/contract/json-record.js';
import type { FaultyPart } from './fault.js';
import type { Kind, Part } from './parts.js';

/** Finds each `$ref` that leads out of the file, to nothing, to something of another kind, or round in a circle. */
export function referenceFaults(document: unknown, parts: readonly Part[]): FaultyPart[] {
  const kinds = new Map(parts.map(({ pointer, kind }) => [pointer, kind]));
  return parts.flatMap(({ kind, pointer, value: { $ref } }) => {
    if (typeof $ref !== 'string') return [];
    const reason = reasonAgainst($ref, { document, kinds, kind, pointer });
    return reason ? [{ pointer: `${pointer}/$ref`, message: `$ref ${$ref} ${reason}` }] : [];
  });
}

/** Where a chain of references ends, which has been found to have an end. */
export function endOf(document: unknown, pointer: string): string {
  const { $ref } = asRecord(valueAt(document, pointer));
  return typeof $ref === 'string' ? endOf(document, targetOf($ref)) : pointer;
}

interface Place {
  readonly document: unknown;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly kind: Kind;
  readonly pointer: string;
}

/** Only what is wrong with this reference: of what it leads to, the faults are told there. */
function reasonAgainst(
  reference: string,
  { document, kinds, kind, pointer }: Place,
): string | undefined {
  if (!reference.startsWith('#/')) {
    return 'leads out of the file; refer to a place in it, as #/components/…';
  }
  const target = targetOf(reference);
  if (valueAt(document, target) === undefined) return 'leads to nothing; is it misspelt?';
  if (kind !== 'other' && kinds.get(target) !== kind) {
    return `leads to something else than the ${kind} that belongs here`;
  }
  return leadsTo(document, target, pointer) ? 'leads back to itself' : undefined;
}

function leadsTo(document: unknown, from: string, wanted: string): boolean {
  const passed = new Set<string>();
  for (let at = from; !passed.has(at); ) {
    if (at === wanted) return true;
    passed.add(at);
    const { $ref } = asRecord(valueAt(document, at));
    if (typeof $ref === 'string') at = targetOf($ref);
  }
  return false;
}

/** The server follows references as they are written, so what is percent-encoded leads to nothing. */
function targetOf(reference: string): string {
  return reference.slice(1);
}
