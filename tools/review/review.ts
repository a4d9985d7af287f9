import { compareContracts } from './compare.js';
import type { Contract } from './contract/contract.js';
import { breaks, type Change, changesOf } from './finding.js';
import { changedProse } from './prose.js';
import { type Party, RULES } from './rules.js';
import type { Pair } from './schema/comparison.js';
import { type Announcement, announcement } from './version.js';

/** The effect of a change of the contract on clients. */
export interface Review {
  readonly versions: Pair<string>;
  readonly announced: Announcement;
  readonly breaking: { readonly [party in Party]: readonly Change[] };
  readonly added: readonly Change[];
  readonly notes: readonly Change[];
  /** The JSON pointers at which prose or examples changed. */
  readonly prose: readonly string[];
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
  const of = (party: Party) => breaking.filter((change) => change.party === party);
  return {
    versions: { before: before.version, after: after.version },
    announced: announcement(before.version, after.version, step),
    breaking: { sender: of('sender'), reader: of('reader'), caller: of('caller') },
    added,
    notes: others.filter((change) => !added.includes(change)),
    prose: changedProse(before.document, after.document),
  };
}
