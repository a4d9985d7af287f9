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
  return compareNamed(types, {
    find: (type) =>
      types.after.has(type) ? types.after.get(type) : [...types.after].find(([range]) => covers(range, type))?.[1],
    gone: (was) => [difference(contracts, 'media-type-removed', { before, was }, 'content')],
    come: (is) => [difference(contracts, 'media-type-added', { after, is }, 'content')],
    both: (type, pair) => {
      const media = { before: asRecord(pair.before), after: asRecord(pair.after) };
      return below(only ? '' : ` (${type})`, [
        ...wordsDiffer(contracts, 'encoding-changed', media, encoding, 'encoding'),
        ...compareValues(contracts, party, media),
      ]);
    },
  });
}

/** Returns whether a media range covers a type: `text/*` covers `text/csv` (RFC 9110, 12.5.1). */
function covers(range: string, type: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}
