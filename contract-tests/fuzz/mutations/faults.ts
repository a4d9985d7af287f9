/** The common type of the functions that introduce a fault into a valid request. */
import type { Place } from '../../../testkit/openapi/document.js';
import { type Case, targetOf } from '../case.js';

/** A request with a fault. Mutations of one kind are drawn as often as one of another kind. */
export interface Mutant {
  /** The kind of its fault; empty for a request that is valid in spite of it. */
  readonly kind: string;
  /** Makes the request, which may be large. Returns undefined if the mutation turns out to be impossible. */
  readonly make: () => Case | undefined;
}

/** Returns the mutations that introduce a fault into a request. */
export type FaultMaker = (made: Case) => readonly Mutant[];

/** Returns a request with a fault, and the expected answer. */
export function at(
  made: Case,
  what: string,
  statuses: readonly number[],
  pointer?: string,
): Mutant {
  const fault = { what, statuses, ...(pointer === undefined ? {} : { pointer }) };
  return { kind: what, make: () => ({ ...made, fault }) };
}

/** Returns a request that is still valid. */
export function valid(made: Case): Mutant {
  return { kind: '', make: () => made };
}

/** Returns the schema of a JSON body; undefined if the case sends none. */
export function jsonSchemaOf(made: Case): Place | undefined {
  const { body } = made;
  if (body?.mediaType !== 'application/json') return undefined;
  return targetOf(made).bodies.find(([mediaType]) => mediaType === body.mediaType)?.[1];
}
