import fc from 'fast-check';
import type { Case } from './case.js';
import {
  keysThatDoNotFit,
  otherAddresses,
  otherMethods,
  othersResources,
  promisedMethods,
} from './mutations/access-faults.js';
import { largeBodies, unacceptable, unreadableBodies } from './mutations/body-faults.js';
import type { FaultMaker } from './mutations/faults.js';
import { brokenBodies, brokenParameters, otherParts } from './mutations/schema-faults.js';
import { type Target, targets } from './operations.js';
import { validCasesOf } from './valid-cases.js';

/** How often a request is made wrong in which way, of 1000. What is left is valid. */
const FAULTS: readonly (readonly [share: number, maker: FaultMaker])[] = [
  [220, brokenBodies],
  [120, brokenParameters],
  [40, otherParts],
  [50, unreadableBodies],
  [5, largeBodies],
  [20, unacceptable],
  [60, keysThatDoNotFit],
  [40, othersResources],
  [30, otherMethods],
  [30, promisedMethods],
  [10, otherAddresses],
];

const faulty = FAULTS.reduce((sum, [share]) => sum + share, 0);

const makers: fc.Arbitrary<FaultMaker> = fc.oneof(
  { weight: 1000 - faulty, arbitrary: fc.constant<FaultMaker>(() => []) },
  ...FAULTS.map(([weight, maker]) => ({ weight, arbitrary: fc.constant(maker) })),
);

/** A table takes longer to learn from than anything else takes. */
function weightOf({ id }: Target): number {
  return id === 'trainModel' ? 1 : 2;
}

/** Of the ways to make a request wrong, how many are tried until one is wrong in one way only. */
const TRIES = 8;

/** Requests to every operation of the contract, valid ones and others that are wrong in one way each. */
export const cases: fc.Arbitrary<Case> = fc.oneof(
  ...targets.map((target) => ({
    weight: weightOf(target),
    arbitrary: fc
      .tuple(validCasesOf(target), makers, fc.noBias(fc.nat()))
      .map(([made, maker, which]) => madeWrong(made, maker, which)),
  })),
);

function madeWrong(made: Case, maker: FaultMaker, which: number): Case {
  const groups = maker(made);
  for (let tries = 0; tries < TRIES; tries += 1) {
    const group = groups[(which + tries) % groups.length] ?? [];
    const wrong = group[(Math.floor(which / groups.length) + tries) % group.length]?.();
    if (wrong !== undefined) return wrong;
  }
  return made;
}
