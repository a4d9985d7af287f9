import { asRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements, members, texts } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import type { Operation } from './operations.js';
import type { Scope } from './scope.js';

/** What a caller must have: of each scheme, the scopes. */
type Requirement = ReadonlyMap<string, readonly string[]>;

/** Compares what a caller must have: one of the requirements, and all that it says. */
export function compareSecurity(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  const old = requirementsOf(scope.contracts.before, before);
  const now = requirementsOf(scope.contracts.after, after);
  const told = {
    before: before.definition,
    after: after.definition,
    was: words(old),
    is: words(now),
  };
  const inner = scope.within('security');
  if (!old.every((one) => now.some((other) => meets(one, other)))) {
    return [inner.finding('security-tightened', told, 'security')];
  }
  if (!now.every((one) => old.some((other) => meets(one, other)))) {
    return [inner.finding('security-loosened', told, 'security')];
  }
  return [];
}

/** Whoever has the first has the second. */
function meets(has: Requirement, asked: Requirement): boolean {
  return [...asked].every(
    ([scheme, scopes]) =>
      scopes.every((scope) => has.get(scheme)?.includes(scope)) && has.has(scheme),
  );
}

/** The operation's own requirements, or the document's; without any, nothing is asked. */
function requirementsOf(contract: Contract, { definition }: Operation): Requirement[] {
  const listed = elements(definition['security'] ?? contract.document['security'] ?? []);
  const requirements = listed.map(
    (one) => new Map(members(asRecord(one)).map(([scheme, scopes]) => [scheme, texts(scopes)])),
  );
  return requirements.length > 0 ? requirements : [new Map()];
}

function words(requirements: readonly Requirement[]): string {
  const one = (requirement: Requirement) =>
    [...requirement]
      .map(([scheme, scopes]) => [scheme, ...scopes.map((scope) => `“${scope}”`)].join(' '))
      .join(' and ') || 'nothing';
  return requirements.map(one).join(', or ');
}
