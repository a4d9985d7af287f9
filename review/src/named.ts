import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { type Contract, members } from './contract.js';
import { type Difference, difference, type Pair } from './finding.js';

/** The meaning of a fact that becomes true, or no longer is, and the words for both. */
const FLAGS = {
  required: { on: 'required-now', off: 'optional-now', words: ['required', 'optional'] },
  allowReserved: { on: 'bound-loosened', off: 'bound-tightened', words: ['allowReserved', ''] },
  allowEmptyValue: { on: 'bound-loosened', off: 'bound-tightened', words: ['allowEmptyValue', ''] },
} as const;

type Flag = keyof typeof FLAGS;

/** Compares a fact about a part, such as `required: true`. */
export function compareFlag(contracts: Pair<Contract>, parts: Pair<JsonRecord>, flag: Flag): Difference[] {
  const [did, does] = [parts.before[flag] === true, parts.after[flag] === true];
  if (did === does) return [];
  const details = { ...parts, was: flagWords(flag, did), is: flagWords(flag, does) };
  return [difference(contracts, does ? FLAGS[flag].on : FLAGS[flag].off, details)];
}

function flagWords(flag: Flag, isTrue: boolean): string {
  return FLAGS[flag].words[isTrue ? 0 : 1];
}

/** Returns `required` or `optional`. */
export function necessity(part: JsonRecord): string {
  return flagWords('required', part['required'] === true);
}

/** The reports on named parts: of one that is gone, one that is new, and one that both versions have. */
interface Named<T> {
  /** Returns the counterpart; without it, the one of the same name. */
  readonly find?: (name: string) => T | undefined;
  readonly gone: (name: string, part: T) => Difference[];
  readonly come: (name: string, part: T) => Difference[];
  readonly both: (name: string, pair: Pair<T>) => Difference[];
}

/** Compares the parts of two maps, by their names. */
export function compareNamed<T>(
  { before, after }: Pair<ReadonlyMap<string, T>>,
  { find = (name) => after.get(name), gone, come, both }: Named<T>,
): Difference[] {
  const kept = [...before].flatMap(([name, old]) => {
    const now = find(name);
    return now === undefined ? gone(name, old) : both(name, { before: old, after: now });
  });
  const added = [...after].filter(([name]) => !before.has(name));
  return [...kept, ...added.flatMap(([name, part]) => come(name, part))];
}

/** Returns the members of a keyword of both parts. */
export function pairMembers(parts: Pair<unknown>, keyword: string): Pair<ReadonlyMap<string, unknown>> {
  const named = (part: unknown) => new Map(members(asRecord(part)[keyword]));
  return { before: named(parts.before), after: named(parts.after) };
}

/** Follows the references of both parts. */
export function resolvePair({ before, after }: Pair<Contract>, pair: Pair<unknown>): Pair<JsonRecord> {
  return { before: before.resolve(pair.before), after: after.resolve(pair.after) };
}
