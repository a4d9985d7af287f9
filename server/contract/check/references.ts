import { valueAt } from '../json-pointer.js';
import { asRecord } from '../record.js';
import type { FaultyPart } from './fault.js';
import type { Part } from './parts.js';

/** Finds each `$ref` that leads out of the file, to nothing, to something of another kind, or round in a circle. */
export function referenceFaults(document: unknown, parts: readonly Part[]): FaultyPart[] {
  const kinds = new Map(parts.map(({ pointer, kind }) => [pointer, kind]));
  return parts.flatMap(({ kind, pointer, value }) => {
    const { $ref } = value;
    if (typeof $ref !== 'string') return [];
    const reason = reasonAgainst(document, $ref) ?? otherKind(kinds, kind, $ref);
    return reason ? [{ pointer: `${pointer}/$ref`, message: `$ref ${$ref} ${reason}` }] : [];
  });
}

/** Where a chain of references ends, which has been found to have an end. */
export function endOf(document: unknown, pointer: string): string {
  const { $ref } = asRecord(valueAt(document, pointer));
  return typeof $ref === 'string' ? endOf(document, targetOf($ref)) : pointer;
}

function reasonAgainst(document: unknown, reference: string): string | undefined {
  const passed = new Set<string>();
  for (let next: unknown = reference; typeof next === 'string'; ) {
    if (!next.startsWith('#/'))
      return 'leads out of the file; refer to a place in it, as #/components/…';
    if (passed.has(next)) return 'leads back to itself';
    passed.add(next);
    const target = valueAt(document, targetOf(next));
    if (target === undefined) return 'leads to nothing; is it misspelt?';
    next = asRecord(target)['$ref'];
  }
  return undefined;
}

function otherKind(
  kinds: ReadonlyMap<string, Part['kind']>,
  wanted: Part['kind'],
  reference: string,
): string | undefined {
  const found = kinds.get(targetOf(reference));
  if (wanted === 'other' || found === wanted) return undefined;
  return `does not lead to a ${wanted}`;
}

/** The server follows references as they are written, so what is percent-encoded leads to nothing. */
function targetOf(reference: string): string {
  return reference.slice(1);
}
