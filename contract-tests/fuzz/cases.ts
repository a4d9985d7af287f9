import fc from 'fast-check';
import type { Case } from './case.js';
import {
  type FaultMaker,
  foreignResources,
  largeBodies,
  otherAddresses,
  otherMethods,
  promisedMethods,
  unacceptableTypes,
  unreadableBodies,
  wrongKeys,
} from './mutations/request-faults.js';
import { brokenBodies, brokenParameters, otherParts } from './mutations/schema-faults.js';
import { type Target, targets } from './operations.js';
import { makeValidCases } from './valid-cases.js';

/** The kinds of fault, and how many of 1000 requests have each. The other requests are valid. */
const FAULTS: readonly (readonly [share: number, maker: FaultMaker])[] = [
  [220, brokenBodies],
  [120, brokenParameters],
  [40, otherParts],
  [50, unreadableBodies],
  [5, largeBodies],
  [20, unacceptableTypes],
  [60, wrongKeys],
  [40, foreignResources],
  [30, otherMethods],
  [30, promisedMethods],
  [10, otherAddresses],
];

const faulty = FAULTS.reduce((sum, [share]) => sum + share, 0);

const makers: fc.Arbitrary<FaultMaker> = fc.oneof(
  { weight: 1000 - faulty, arbitrary: fc.constant<FaultMaker>(() => []) },
  ...FAULTS.map(([weight, maker]) => ({ weight, arbitrary: fc.constant(maker) })),
);

/** Training takes longer than any other operation, so it is drawn half as often. */
function weighTarget({ id }: Target): number {
  return id === 'trainModel' ? 1 : 2;
}

/** The number of mutations that are tried until one breaks exactly one rule. */
const TRIES = 8;

/** Requests to every operation of the contract: valid ones, and others with one fault each. */
export const cases: fc.Arbitrary<Case> = fc.oneof(
  ...targets.map((target) => ({
    weight: weighTarget(target),
    arbitrary: fc
      .tuple(makeValidCases(target), makers, fc.noBias(fc.nat()))
      .map(([made, maker, which]) => withFault(made, maker, which)),
  })),
);

function withFault(made: Case, maker: FaultMaker, which: number): Case {
  const mutants = maker(made);
  const kinds = [...new Set(mutants.map(({ kind }) => kind))];
  const groups = kinds.map((one) => mutants.filter(({ kind }) => kind === one));
  for (let tries = 0; tries < TRIES; tries += 1) {
    const group = groups[(which + tries) % groups.length] ?? [];
    const wrong = group[(Math.floor(which / groups.length) + tries) % group.length]?.make();
    if (wrong !== undefined && fitsHead(wrong)) return wrong;
  }
  return made;
}

/** The most characters of a query that a test needs; Node.js refuses heads of 16 KiB before the service reads them. */
const MAX_QUERY = 12_000;

/** Returns whether the query of a request is short enough to reach the service. */
function fitsHead({ parameters }: Case): boolean {
  const lengths = parameters
    .filter((parameter) => parameter.in === 'query')
    .flatMap(({ name, value }) => [value].flat().map((item) => `${name}=${encodeURIComponent(String(item))}&`.length));
  return lengths.reduce((sum, length) => sum + length, 0) <= MAX_QUERY;
}
