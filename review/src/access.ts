import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { type Contract, members } from './contract.js';
import { below, type Difference, difference, type Pair, wordsDiffer } from './finding.js';
import { compareLife, ruleOfRemoval, sunsetOf } from './lifecycle.js';
import { compareNamed, pairMembers, resolvePair } from './named.js';
import {
  documentServers,
  listRequirements,
  meets,
  type Operation,
  type Requirement,
  requirementWords,
} from './operations.js';
import { canonical } from './schema/shape.js';

type Contracts = Pair<Contract>;

/** Compares the servers of an operation, if it has its own in one of the versions; else the document's apply. */
export function compareOwnServers(contracts: Contracts, { before, after }: Pair<Operation>): Difference[] {
  if (!before.servers && !after.servers) return [];
  const parts = { before: before.definition, after: after.definition };
  return compareServers(contracts, parts, {
    before: before.servers ?? documentServers(contracts.before),
    after: after.servers ?? documentServers(contracts.after),
  });
}

/**
 * Compares two lists of servers by their addresses.
 * @param parts the parts of the contracts that list them
 */
export function compareServers(
  contracts: Contracts,
  parts: Pair<JsonRecord>,
  { before, after }: Pair<readonly JsonRecord[]>,
): Difference[] {
  const byAddress = (servers: readonly JsonRecord[]) =>
    new Map(servers.map((server) => [String(server['url']), server]));
  return compareNamed(
    { before: byAddress(before), after: byAddress(after) },
    {
      gone: (was, server) => [
        difference(contracts, ruleOfRemoval(contracts, 'server-removed', server), { ...parts, was }, 'servers'),
      ],
      come: (is) => [difference(contracts, 'server-added', { ...parts, is }, 'servers')],
      both: (url, pair) => {
        // Servers have no `deprecated`: a sunset deprecates them.
        const life = (server: JsonRecord) => ({ deprecated: sunsetOf(server) !== '', sunset: sunsetOf(server) });
        const lives = { before: life(pair.before), after: life(pair.after) };
        return below(` server ${url}`, compareLife(contracts, pair, lives));
      },
    },
  );
}

/**
 * Compares the security schemes of both versions. A removed scheme is reported at the operations that required
 * it.
 */
export function compareSchemes(contracts: Contracts): Difference[] {
  const components = resolvePair(contracts, {
    before: contracts.before.document['components'],
    after: contracts.after.document['components'],
  });
  const words = ({ description: _, bearerFormat: __, flows, ...rest }: JsonRecord) =>
    // Operations require scopes; what a scheme lists of them are their descriptions.
    canonical({
      ...rest,
      flows: members(flows).map(([name, flow]) => ({ name, ...asRecord(flow), scopes: undefined })),
    });
  return compareNamed(pairMembers(components, 'securitySchemes'), {
    gone: () => [],
    come: () => [],
    both: (name, pair) => {
      const schemes = resolvePair(contracts, pair);
      const changed = wordsDiffer(contracts, 'scheme-changed', schemes, words);
      return below(` security scheme ${name}`, changed);
    },
  });
}

/** Compares the security requirements, of which a caller must satisfy one, with all of its schemes. */
export function compareSecurity(contracts: Contracts, parts: Pair<JsonRecord>): Difference[] {
  const old = listRequirements(contracts.before, parts.before);
  const now = listRequirements(contracts.after, parts.after);
  const areCovered = (all: readonly Requirement[], by: readonly Requirement[]) =>
    all.every((one) => by.some((other) => meets(one, other)));
  const isLoosened = areCovered(old, now);
  if (isLoosened && areCovered(now, old)) return [];
  const details = { ...parts, was: requirementWords(old), is: requirementWords(now) };
  const rule = isLoosened ? 'security-loosened' : 'security-tightened';
  return below(' security', [difference(contracts, rule, details, 'security')]);
}
