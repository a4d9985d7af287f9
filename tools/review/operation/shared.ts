import type { JsonRecord } from '../../../server/contract/json-record.js';
import { type Contract, member, members } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import { operationsOf } from './operations.js';
import { compareResponse } from './responses.js';
import { Scope } from './scope.js';

/**
 * Compares the shared responses that no operation refers to: the answers where there is no operation, such as
 * at an unknown address.
 */
export function compareShared(contracts: Pair<Contract>): Finding[] {
  const scope = new Scope(contracts, '', 'reader');
  const now = sharedResponses(contracts.after);
  const all = member(contracts.after.document['components'], 'responses');
  const used = usedResponses(contracts.after);
  const old = sharedResponses(contracts.before);
  return [
    ...[...old].flatMap(([name, before]) => {
      const after = now.get(name);
      if (after) return compareResponse(scope.within(`response ${name}`), { before, after });
      const moved = contracts.after.resolve(member(all, name));
      if (used.has(moved)) return [];
      return [scope.within(`response ${name}`).finding('status-removed', { before, was: name })];
    }),
    ...[...now]
      .filter(([name]) => !old.has(name) && !hasResponse(contracts.before, name))
      .map(([name, after]) =>
        scope.within(`response ${name}`).finding('status-added', { after, is: name }),
      ),
  ];
}

function hasResponse({ document }: Contract, name: string): boolean {
  return member(member(document['components'], 'responses'), name) !== undefined;
}

function sharedResponses(contract: Contract): ReadonlyMap<string, JsonRecord> {
  const used = usedResponses(contract);
  const responses = members(member(contract.document['components'], 'responses'));
  return new Map(
    responses
      .map(([name, response]) => [name, contract.resolve(response)] as const)
      .filter(([, response]) => !used.has(response)),
  );
}

function usedResponses(contract: Contract): ReadonlySet<JsonRecord> {
  return new Set(
    operationsOf(contract).flatMap(({ definition }) =>
      members(definition['responses']).map(([, response]) => contract.resolve(response)),
    ),
  );
}
