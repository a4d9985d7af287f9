import { NearestName } from 'roster-prediction/browser';
import { splitPointer, valueAt } from '../../../server/contract/json-pointer.js';
import { asRecord, type JsonRecord } from '../../../server/contract/json-record.js';
import type { FaultyPart, Kind, Part } from './parts.js';

/** Finds each `$ref` that leads out of the file, to nothing, to something of another kind, or round in a circle. */
export function referenceFaults(document: unknown, parts: readonly Part[]): FaultyPart[] {
  const kinds = new Map(parts.map(({ pointer, kind }) => [pointer, kind]));
  return parts.flatMap(({ kind, pointer, value: { $ref } }) => {
    if (typeof $ref !== 'string') return [];
    const reason = reasonAgainst($ref, { document, kinds, kind, pointer });
    return reason ? [{ pointer: `${pointer}/$ref`, ...reason }] : [];
  });
}

/** Returns the end of a chain of references, which has been found to have one. */
export function followReference(document: unknown, pointer: string): string {
  const { $ref } = asRecord(valueAt(document, pointer));
  return typeof $ref === 'string' ? followReference(document, findTarget($ref)) : pointer;
}

/** Returns a part, or the one at the end of its chain of references. */
export function resolved(document: unknown, part: unknown): JsonRecord {
  const { $ref } = asRecord(part);
  return typeof $ref === 'string' ? resolved(document, valueAt(document, findTarget($ref))) : asRecord(part);
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
): { message: string; remedy: string } | undefined {
  if (!reference.startsWith('#/')) {
    return { message: `$ref ${reference} leads out of the file`, remedy: 'refer to a place in it, as #/components/…' };
  }
  const target = findTarget(reference);
  const missing = missingPart(document, target);
  if (missing !== undefined) {
    // The same words for all references into a part that is not there, so that they can be told as one fault.
    const message =
      missing === target ? `$ref ${reference} leads to nothing` : `there is no #${missing}, where $ref leads`;
    return { message, remedy: findRemedy(document, missing) };
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

function findRemedy(document: unknown, missing: string): string {
  const around = valueAt(document, missing.slice(0, missing.lastIndexOf('/')));
  const [name = ''] = splitPointer(missing).slice(-1);
  const nearest = new NearestName(Object.keys(asRecord(around))).of(name);
  const correction = nearest === null ? 'correct the name' : `correct the name to ${nearest}`;
  return `${correction}, or add what it refers to`;
}

function leadsTo(document: unknown, from: string, wanted: string): boolean {
  const passed = new Set<string>();
  for (let at = from; !passed.has(at); ) {
    if (at === wanted) return true;
    passed.add(at);
    const { $ref } = asRecord(valueAt(document, at));
    if (typeof $ref === 'string') at = findTarget($ref);
  }
  return false;
}

/** The server follows references as they are written, so what is percent-encoded leads to nothing. */
function findTarget(reference: string): string {
  return reference.slice(1);
}
