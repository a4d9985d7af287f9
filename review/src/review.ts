import { faultyParts, type RuledFault } from '../../contract/check/index.js';
import type { FaultyPart } from '../../contract/parts.js';
import { parseVersion } from '../../contract/versions.js';
import { type Acceptance, acceptanceOf } from './acceptance.js';
import { compareContracts } from './compare.js';
import type { Contract } from './contract.js';
import { findDifferences, type PartDifference, partName } from './differences.js';
import { breaks, type Change, type Finding, listChanges, type Pair } from './finding.js';
import { type Party, RULES } from './rules.js';

/** Breaking changes that a file of the repository accepts, and the reason that it gives. */
export interface Accepted {
  readonly reason: string;
  readonly changes: readonly Change[];
}

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
  readonly accepted: readonly Accepted[];
  /** Acceptances that no breaking change needs. */
  readonly unneeded: readonly Acceptance[];
  readonly added: readonly Change[];
  readonly notes: readonly Change[];
  readonly invalidExamples: readonly InvalidExample[];
  /** Texts for people and examples that differ. */
  readonly prose: readonly NamedDifference[];
  /** All other parts that differ, at which no change is reported above. */
  readonly others: readonly NamedDifference[];
  /** True if the files differ, though maybe not in what they say. */
  readonly formChanged: boolean;
}

/**
 * Compares two versions of the contract.
 * @param acceptances breaking changes that need no version that announces them
 */
export function reviewContracts(contracts: Pair<Contract>, acceptances: readonly Acceptance[] = []): Review {
  const findings = compareContracts(contracts);
  const accepted = new Map<Acceptance, Finding[]>(acceptances.map((one) => [one, []]));
  const open = findings.filter((finding) => {
    const acceptance = breaks(finding) && acceptanceOf(finding, acceptances);
    if (acceptance) accepted.get(acceptance)?.push(finding);
    return !acceptance;
  });
  const changes = listChanges(open);
  const breaking = changes.filter(breaks);
  const others = changes.filter((change) => !breaks(change));
  const added = others.filter(({ rule }) => RULES[rule].else === 'added');
  const { before, after } = contracts;
  const step = breaking.length > 0 ? 'break' : added.length > 0 ? 'addition' : 'none';
  const differences = findDifferences({ before: before.document, after: after.document });
  const reported = findings.map(({ pointer }) => pointer).filter(Boolean);
  const named = <T extends { pointer: string }>(one: T) => ({ ...one, name: partName(contracts, one.pointer) });
  const of = (party: Party) => breaking.filter((change) => change.party === party);
  return {
    versions: { before: before.version, after: after.version },
    announced: announcement(before.version, after.version, step),
    breaking: { sender: of('sender'), reader: of('reader'), caller: of('caller') },
    accepted: [...accepted]
      .filter(([, ones]) => ones.length > 0)
      .map(([{ reason }, ones]) => ({ reason, changes: listChanges(ones) })),
    unneeded: [...accepted].filter(([, ones]) => ones.length === 0).map(([acceptance]) => acceptance),
    added,
    notes: others.filter((change) => !added.includes(change)),
    invalidExamples: differences.length === 0 ? [] : newlyInvalidExamples(contracts).map(named),
    prose: differences.filter(({ isProse }) => isProse).map(named),
    others: differences
      .filter(({ isProse, pointer }) => !isProse && !reported.some((at) => overlap(at, pointer)))
      .map(named),
    formChanged: before.text !== after.text,
  };
}

/** Returns whether a part is another, within it, or around it. */
function overlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

/** Schemas of OpenAPI 3.0 are of another dialect than the check of examples knows. */
const CHECKED = /^3\.[1-9]/;

const EXAMPLES = /"(?:examples?|default)":/;

/** Returns the examples and defaults that are invalid in the new version, and were not so in the old one. */
function newlyInvalidExamples({ before, after }: Pair<Contract>): FaultyPart[] {
  const invalid = invalidExamples(after);
  if (invalid.length === 0) return [];
  const known = new Set(invalidExamples(before).map(({ pointer }) => pointer));
  return invalid.filter(({ pointer }) => !known.has(pointer));
}

function invalidExamples({ document }: Contract): FaultyPart[] {
  if (!CHECKED.test(String(document['openapi']))) return [];
  if (!EXAMPLES.test(JSON.stringify(document))) return [];
  const faults = findFaults(document).filter(({ rule }) => rule === 'example');
  return [...new Map(faults.map((fault) => [fault.pointer, fault])).values()];
}

/** Finds what is wrong with a document. A schema that the validator cannot compile says nothing about its examples. */
function findFaults(document: unknown): RuledFault[] {
  try {
    return faultyParts(document, { handlers: undefined, nearestName: undefined });
  } catch {
    return [];
  }
}

/** The kinds of change that a version announces, in increasing order. */
type Step = 'none' | 'addition' | 'break';

/** True if the contract's version announces its changes. */
export interface Announcement {
  /** True if breaking changes are announced, or there are none. */
  readonly breaksAnnounced: boolean;
  /** True if additions are announced, or there are none. */
  readonly additionsAnnounced: boolean;
  /** The lowest version that announces everything; undefined if the versions are not semantic: then any other does. */
  readonly needed: string | undefined;
}

/**
 * Checks the versions by semantic versioning: a breaking change requires a major version, or a minor one while
 * the major is 0 (semver.org, 4); an addition requires a minor version, or a patch while the major is 0. After
 * a pre-release, and between versions of another form, such as dates, any other version is enough.
 */
function announcement(before: string, after: string, step: Step): Announcement {
  const [old, now] = [parseVersion(before), parseVersion(after)];
  if (!old || !now) {
    const isOther = before !== after;
    return {
      breaksAnnounced: step !== 'break' || isOther,
      additionsAnnounced: step === 'none' || isOther,
      needed: undefined,
    };
  }
  const enough = (needed: readonly number[]) =>
    (old.prerelease !== '' && before !== after) || !isLess(now.numbers, needed);
  const [major, minor, patch] = old.numbers;
  const afterBreak = major === 0 ? [0, minor + 1, 0] : [major + 1, 0, 0];
  const afterAddition = major === 0 ? [0, minor, patch + 1] : [major, minor + 1, 0];
  const least = { none: old.numbers, addition: afterAddition, break: afterBreak }[step];
  return {
    breaksAnnounced: step !== 'break' || enough(afterBreak),
    additionsAnnounced: step === 'none' || enough(afterAddition),
    needed: least.join('.'),
  };
}

function isLess(one: readonly number[], other: readonly number[]): boolean {
  const index = one.findIndex((number, place) => number !== other[place]);
  return index >= 0 && (one[index] ?? 0) < (other[index] ?? 0);
}
