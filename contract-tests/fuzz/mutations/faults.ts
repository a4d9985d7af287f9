/** The common type of the functions that introduce a fault into a valid request. */
import type { Place } from '../../../testkit/openapi/document.js';
import { type Case, type Expected, targetOf } from '../case.js';

/**
 * Returns the mutations that introduce a fault into a request, in groups of one kind. A mutation returns
 * undefined if it turns out to be impossible.
 */
export type FaultMaker = (made: Case) => (() => Case | undefined)[][];

/** Returns mutations that always succeed, grouped by their fault. */
export function certain(cases: readonly Case[]): (() => Case)[][] {
  return grouped(cases, ({ fault }) => fault?.what ?? '').map((group) =>
    group.map((made) => () => made),
  );
}

/** Groups values by a key, in their order. */
export function grouped<T>(all: readonly T[], kindOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(kindOf(one), [...(groups.get(kindOf(one)) ?? []), one]);
  return [...groups.values()];
}

/** Returns a case with its fault, and the expected answer. */
export function at(made: Case, what: string, statuses: readonly number[], pointer?: string): Case {
  const fault: Expected = { what, statuses, ...(pointer === undefined ? {} : { pointer }) };
  return { ...made, fault };
}

/** Returns the schema of a JSON body; undefined if the case sends none. */
export function jsonSchemaOf(made: Case): Place | undefined {
  const { body } = made;
  if (body?.mediaType !== 'application/json') return undefined;
  return targetOf(made).bodies.find(([mediaType]) => mediaType === body.mediaType)?.[1];
}
