import { asRecord } from '../json-record.js';
import type { FaultyPart, Kind, Part } from '../parts.js';
import { referenceIn, splitPointer, targetOf, valueAt } from '../pointer.js';
import type { Code } from './operations.js';

/** Finds each `$ref` that leads out of the file, to nothing, to something of another kind, or round in a circle. */
export function referenceFaults(document: unknown, parts: readonly Part[], { nearestName }: Code): FaultyPart[] {
  const kinds = new Map(parts.map(({ pointer, kind }) => [pointer, kind]));
  return parts.flatMap(({ kind, pointer, value }) => {
    const reference = referenceIn(value);
    if (reference === undefined) return [];
    const reason = reasonAgainst(reference, { document, kinds, kind, pointer, nearestName });
    return reason ? [{ pointer: `${pointer}/$ref`, ...reason }] : [];
  });
}

interface Place extends Pick<Code, 'nearestName'> {
  readonly document: unknown;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly kind: Kind;
  readonly pointer: string;
}

/** Returns the fault of this reference alone: those of its target are reported there. */
function reasonAgainst(
  reference: string,
  { document, kinds, kind, pointer, nearestName }: Place,
): { message: string; remedy: string } | undefined {
  if (!reference.startsWith('#/')) {
    return { message: `$ref ${reference} leads out of the file`, remedy: 'refer to a place in it, as #/components/…' };
  }
  const target = targetOf(reference);
  const missing = missingPart(document, target);
  if (missing !== undefined) {
    // The same words for all references into a part that is not there, so that they become one fault.
    const message =
      missing === target ? `$ref ${reference} leads to nothing` : `there is no #${missing}, where $ref leads`;
    return { message, remedy: findRemedy(document, missing, nearestName) };
  }
  if (kind !== 'other' && kinds.get(target) !== kind) {
    return {
      message: `$ref ${reference} leads to something else than the ${kind} that belongs here`,
      remedy: `refer to a ${kind}`,
    };
  }
  if (!leadsTo(document, target, pointer)) return undefined;
  return { message: `$ref ${reference} leads back to itself`, remedy: 'write the part here, or refer to another' };
}

/** Returns the first part on the way to a place that is not there; undefined if the place is there. */
function missingPart(document: unknown, target: string): string | undefined {
  const steps = target.split('/');
  return steps
    .map((_, index) => steps.slice(0, index + 1).join('/'))
    .find((part) => valueAt(document, part) === undefined);
}

function findRemedy(document: unknown, missing: string, nearestName: Code['nearestName']): string {
  const around = valueAt(document, missing.slice(0, missing.lastIndexOf('/')));
  const [name = ''] = splitPointer(missing).slice(-1);
  const nearest = nearestName?.(Object.keys(asRecord(around)), name);
  const correction = nearest ? `correct the name to ${nearest}` : 'correct the name';
  return `${correction}, or add what it refers to`;
}

function leadsTo(document: unknown, from: string, wanted: string): boolean {
  const passed = new Set<string>();
  for (let at = from; !passed.has(at); ) {
    if (at === wanted) return true;
    passed.add(at);
    const reference = referenceIn(valueAt(document, at));
    if (reference !== undefined) at = targetOf(reference);
  }
  return false;
}
