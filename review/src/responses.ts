import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { compareContent, compareValues } from './content.js';
import { type Contract, members } from './contract.js';
import { below, type Difference, difference, type Pair, wordsDiffer } from './finding.js';
import { compareFlag, compareNamed, pairMembers, resolvePair } from './named.js';
import type { Party } from './rules.js';
import { canonical } from './schema/shape.js';

type Contracts = Pair<Contract>;

/** Compares the responses, status by status. */
export function compareResponses(contracts: Contracts, party: Party, parts: Pair<JsonRecord>): Difference[] {
  const now = asRecord(parts.after['responses']);
  return compareNamed(pairMembers(parts, 'responses'), {
    find: (status) => now[status] ?? now[`${status[0]}XX`] ?? now['default'],
    gone: (was, response) => {
      const details = { before: contracts.before.resolve(response), was };
      return below(` ${was}`, [
        difference(contracts, /^[45]/.test(was) ? 'error-status-removed' : 'status-removed', details),
      ]);
    },
    come: (is, response) => {
      const details = { after: contracts.after.resolve(response), is };
      return below(` ${is}`, [difference(contracts, 'status-added', details)]);
    },
    both: (status, pair) => below(` ${status}`, compareResponse(contracts, party, resolvePair(contracts, pair))),
  });
}

/** Compares two versions of a response: its body, its headers, its links. */
export function compareResponse(contracts: Contracts, party: Party, pair: Pair<JsonRecord>): Difference[] {
  const { before, after } = pair;
  const [had, has] = [before, after].map(({ content }) => members(content).length > 0);
  return [
    ...below(' body', [
      ...(had && !has ? [difference(contracts, 'body-removed', { before, was: 'a body' })] : []),
      ...(!had && has ? [difference(contracts, 'body-added', { after, is: 'a body' })] : []),
      ...(had === has ? compareContent(contracts, party, pair) : []),
    ]),
    ...compareHeaders(contracts, party, pair),
    ...compareLinks(contracts, pair),
  ];
}

function compareHeaders(contracts: Contracts, party: Party, { before, after }: Pair<JsonRecord>): Difference[] {
  const byName = (response: JsonRecord) =>
    new Map(members(response['headers']).map(([name, header]) => [name.toLowerCase(), { name, header }]));
  const at = (name: string, differences: Difference[]) => below(` header ${name}`, differences);
  return compareNamed(
    { before: byName(before), after: byName(after) },
    {
      gone: (_, { name: was }) => at(was, [difference(contracts, 'header-removed', { before, was }, 'headers')]),
      come: (_, { name: is }) => at(is, [difference(contracts, 'header-added', { after, is }, 'headers')]),
      both: (_, { before: old, after: now }) => {
        const pair = resolvePair(contracts, { before: old.header, after: now.header });
        return at(old.name, [...compareFlag(contracts, pair, 'required'), ...compareValues(contracts, party, pair)]);
      },
    },
  );
}

function compareLinks(contracts: Contracts, responses: Pair<JsonRecord>): Difference[] {
  const { before, after } = responses;
  const at = (name: string, differences: Difference[]) => below(` link ${name}`, differences);
  return compareNamed(pairMembers(responses, 'links'), {
    gone: (was) => at(was, [difference(contracts, 'link-removed', { before, was }, 'links')]),
    come: (is) => at(is, [difference(contracts, 'link-added', { after, is }, 'links')]),
    both: (name, pair) => {
      const links = resolvePair(contracts, pair);
      return at(name, wordsDiffer(contracts, 'link-changed', links, leadsTo));
    },
  });
}

function leadsTo({ description: _, ...link }: JsonRecord): string {
  return canonical(link);
}
