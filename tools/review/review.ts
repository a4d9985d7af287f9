import { compareContracts } from './compare.js';
import type { Contract } from './contract/contract.js';
import { differencesOf, type PartDifference } from './differences.js';
import { newlyInvalidExamples } from './examples.js';
import { breaks, type Change, changesOf } from './finding.js';
import { partName } from './part-name.js';
import { type Party, RULES } from './rules.js';
import type { Pair } from './schema/comparison.js';
import { type Announcement, announcement } from './version.js';

/** A part that differs, with words for it. */
export interface NamedDifference extends PartDifference {
  readonly name: string;
}

/** An example that breaks its schema since the change. */
export interface InvalidExample {
  readonly name: string;
  readonly pointer: string;
  readonly message: string;
}

/** The effect of a change of the contract on clients. */
export interface Review {
  readonly versions: Pair<string>;
  readonly announced: Announcement;
  readonly breaking: { readonly [party in Party]: readonly Change[] };
  readonly added: readonly Change[];
  readonly notes: readonly Change[];
  readonly invalidExamples: readonly InvalidExample[];
  /** Texts for people and examples that differ. */
  readonly prose: readonly NamedDifference[];
  /** All other parts that differ, at which no change is told above. */
  readonly others: readonly NamedDifference[];
  /** Whether the files differ, though maybe not in what they say. */
  readonly formChanged: boolean;
}

/**
 * Compares two versions of the contract.
 * @throws {ContractFault} if one does not have a semantic version.
 */
export function reviewOf(contracts: Pair<Contract>): Review {
  const changes = changesOf(compareContracts(contracts));
  const breaking = changes.filter(breaks);
  const others = changes.filter((change) => !breaks(change));
  const added = others.filter(({ rule }) => RULES[rule].else === 'added');
  const { before, after } = contracts;
  const step = breaking.length > 0 ? 'break' : added.length > 0 ? 'addition' : 'none';
  const differences = differencesOf({ before: before.document, after: after.document });
  const told = changes.flatMap(({ pointers }) => pointers);
  const named = <T extends { pointer: string }>(one: T) => ({
    ...one,
    name: partName(contracts, one.pointer),
  });
  const of = (party: Party) => breaking.filter((change) => change.party === party);
  return {
    versions: { before: before.version, after: after.version },
    announced: announcement(before.version, after.version, step),
    breaking: { sender: of('sender'), reader: of('reader'), caller: of('caller') },
    added,
    notes: others.filter((change) => !added.includes(change)),
    invalidExamples: differences.length === 0 ? [] : newlyInvalidExamples(contracts).map(named),
    prose: differences.filter(({ isProse }) => isProse).map(named),
    others: differences
      .filter(({ isProse, pointer }) => !isProse && !told.some((at) => overlap(at, pointer)))
      .map(named),
    formChanged: before.text !== after.text,
  };
}

/** Whether a part is another, within it, or around it. */
function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
