/** Ways in which a valid request is made wrong. */
import type { Place } from '../../../testkit/openapi/document.js';
import { type Case, type Expected, targetOf } from '../case.js';

/**
 * Gives the ways in which a request can be made wrong, in groups of one kind; none, where there are none. Some
 * turn out not to be one only when they are tried.
 */
export type FaultMaker = (made: Case) => (() => Case | undefined)[][];

/** Ways in which there is nothing to try, grouped by what they are. */
export function certain(cases: readonly Case[]): (() => Case)[][] {
  return grouped(cases, ({ fault }) => fault?.what ?? '').map((group) =>
    group.map((made) => () => made),
  );
}

/** Values in groups of one kind, in the order in which they come. */
export function grouped<T>(all: readonly T[], kindOf: (one: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(kindOf(one), [...(groups.get(kindOf(one)) ?? []), one]);
  return [...groups.values()];
}

/** A case with what is wrong with it, and what the answer must then be. */
export function at(made: Case, what: string, statuses: readonly number[], pointer?: string): Case {
  const fault: Expected = { what, statuses, ...(pointer === undefined ? {} : { pointer }) };
  return { ...made, fault };
}

/** The schema of the JSON that a case sends, if it sends any. */
export function jsonSchemaOf(made: Case): Place | undefined {
  const { body } = made;
  if (body?.mediaType !== 'application/json') return undefined;
  return targetOf(made).bodies.find(([mediaType]) => mediaType === body.mediaType)?.[1];
}
