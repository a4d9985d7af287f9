import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import type { Contract } from './contract.js';
import { below, type Difference, difference, type Pair, wordsDiffer } from './finding.js';
import { compareNamed, pairMembers } from './named.js';
import type { Party } from './rules.js';
import { compareSchemas } from './schema/compare.js';
import { canonical } from './schema/shape.js';

type Contracts = Pair<Contract>;

/** Compares the schemas of two parts; a part without a schema allows any value. */
export function compareValues(contracts: Contracts, party: Party, { before, after }: Pair<JsonRecord>) {
  const schemas = { before: before['schema'] ?? true, after: after['schema'] ?? true };
  return compareSchemas(contracts, party, schemas);
}

/** Compares a body by its media types. */
export function compareContent(contracts: Contracts, party: Party, body: Pair<JsonRecord>): Difference[] {
  const { before, after } = body;
  const types = pairMembers(body, 'content');
  const only = types.before.size === 1 && types.after.size === 1;
  const encoding = (media: JsonRecord) => canonical(media['encoding'] ?? {});
  const counterpart = (type: string) => findCounterpart(type, [...types.after.keys()]);
  const paired = new Set([...types.before.keys()].map(counterpart));
  return compareNamed(types, {
    find: (type) => types.after.get(counterpart(type) ?? ''),
    gone: (was) => [difference(contracts, 'media-type-removed', { before, was }, 'content')],
    come: (is) => (paired.has(is) ? [] : [difference(contracts, 'media-type-added', { after, is }, 'content')]),
    both: (was, pair) => {
      const media = { before: asRecord(pair.before), after: asRecord(pair.after) };
      const is = counterpart(was) ?? was;
      const rule = covers(is, was) ? 'media-type-widened' : 'media-type-narrowed';
      return below(only ? '' : ` (${was})`, [
        ...(is === was ? [] : [difference(contracts, rule, { before, after, was, is }, 'content')]),
        ...wordsDiffer(contracts, 'encoding-changed', media, encoding, 'encoding'),
        ...compareValues(contracts, party, media),
      ]);
    },
  });
}

/** Returns the type itself among the new ones, a range that covers it, or a type that it covers. */
function findCounterpart(type: string, types: readonly string[]): string | undefined {
  if (types.includes(type)) return type;
  return types.find((other) => covers(other, type)) ?? types.find((other) => covers(type, other));
}

/** Returns whether a media range covers a type: `text/*` covers `text/csv` (RFC 9110, 12.5.1). */
function covers(range: string, type: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}
