import { asRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements, members, texts } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import type { Operation } from './operations.js';
import type { Scope } from './scope.js';

/** A security requirement: the scopes for each scheme. */
type Requirement = ReadonlyMap<string, readonly string[]>;

/** Compares the security requirements, of which a caller must satisfy one, with all of its schemes. */
export function compareSecurity(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  const old = requirementsOf(scope.contracts.before, before);
  const now = requirementsOf(scope.contracts.after, after);
  const details = {
    before: before.definition,
    after: after.definition,
    was: words(old),
    is: words(now),
  };
  const inner = scope.within('security');
  if (!old.every((one) => now.some((other) => meets(one, other)))) {
    return [inner.finding('security-tightened', details, 'security')];
  }
  if (!now.every((one) => old.some((other) => meets(one, other)))) {
    return [inner.finding('security-loosened', details, 'security')];
  }
  return [];
}

/** Whether a caller who satisfies the first requirement satisfies the second. */
function meets(has: Requirement, asked: Requirement): boolean {
  return [...asked].every(
    ([scheme, scopes]) =>
      scopes.every((scope) => has.get(scheme)?.includes(scope)) && has.has(scheme),
  );
}

/** Returns the operation's own requirements, or the document's; empty if there are none. */
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
