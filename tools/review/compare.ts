import { type Contract, members } from './contract.js';
import type { Finding } from './finding.js';
import {
  addressOf,
  compareOperation,
  compareServers,
  compareShared,
  documentServers,
  type Operation,
  operationsOf,
  Scope,
} from './operations.js';
import type { Pair } from './schema/comparison.js';
import { canonical } from './schema/shape.js';

/** Compares two versions of the contract, and returns the differences for clients. */
export function compareContracts(contracts: Pair<Contract>): Finding[] {
  const old = operationsOf(contracts.before);
  const now = operationsOf(contracts.after);
  const pairs = pairsOf(old, now);
  const [kept, known] = [
    new Set(pairs.map(({ before }) => before)),
    new Set(pairs.map(({ after }) => after)),
  ];
  const scope = (name: string) => new Scope(contracts, name, 'caller');
  const address = ({ method, path }: Operation) => `${method} ${path}`;
  return [
    ...compareServers(scope(''), {
      before: documentServers(contracts.before.document),
      after: documentServers(contracts.after.document),
    }),
    ...compareSchemes(scope(''), contracts),
    ...old
      .filter((operation) => !kept.has(operation))
      .map((operation) =>
        scope(operation.name).finding('operation-removed', {
          before: operation.definition,
          was: address(operation),
        }),
      ),
    ...now
      .filter((operation) => !known.has(operation))
      .map((operation) =>
        scope(operation.name).finding('operation-added', {
          after: operation.definition,
          is: address(operation),
        }),
      ),
    ...pairs.flatMap((pair) => compareOperation(contracts, pair)),
    ...compareShared(contracts),
  ];
}

/** Matches the operations of both versions: by their address, and the rest by their operationId. */
function pairsOf(old: readonly Operation[], now: readonly Operation[]): Pair<Operation>[] {
  const left = new Set(now);
  const pairs = new Map<Operation, Operation>();
  const match = (same: (before: Operation, after: Operation) => boolean) => {
    for (const before of old) {
      const after = pairs.has(before) ? undefined : [...left].find((one) => same(before, one));
      if (!after) continue;
      pairs.set(before, after);
      left.delete(after);
    }
  };
  match((before, after) => addressOf(before) === addressOf(after));
  match((before, after) => before.id !== undefined && before.id === after.id);
  return [...pairs].map(([before, after]) => ({ before, after }));
}

/**
 * Compares the security schemes of both versions. A removed scheme is reported at the operations that required
 * it.
 */
function compareSchemes(scope: Scope, { before, after }: Pair<Contract>): Finding[] {
  const schemes = (contract: Contract) =>
    new Map(
      members(contract.resolve(contract.document['components'])['securitySchemes']).map(
        ([name, scheme]) => [name, contract.resolve(scheme)] as const,
      ),
    );
  const now = schemes(after);
  return [...schemes(before)].flatMap(([name, old]) => {
    const scheme = now.get(name);
    if (!scheme) return [];
    const [was, is] = [old, scheme].map(({ description: _, bearerFormat: __, ...rest }) =>
      canonical(rest),
    );
    if (was === is) return [];
    const details = { before: old, after: scheme, was: was ?? '', is: is ?? '' };
    return [scope.within(`security scheme ${name}`).finding('scheme-changed', details)];
  });
}
