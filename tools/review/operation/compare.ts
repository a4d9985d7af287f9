import type { Contract } from '../contract/contract.js';
import type { Finding } from '../finding.js';
import type { Pair } from '../schema/comparison.js';
import { compareBodies } from './bodies.js';
import { addressOf, type Operation } from './operations.js';
import { compareParameters } from './parameters.js';
import { compareResponses } from './responses.js';
import { Scope } from './scope.js';
import { compareSecurity } from './security.js';
import { compareOwnServers } from './servers.js';

/** Compares two versions of one operation. */
export function compareOperation(
  contracts: Pair<Contract>,
  { before, after }: Pair<Operation>,
): Finding[] {
  const called = new Scope(contracts, after.name, 'caller');
  const sent = new Scope(contracts, after.name, 'sender');
  const read = new Scope(contracts, after.name, 'reader');
  const definitions = { before: before.definition, after: after.definition };
  const name = { ...definitions, was: before.id ?? '', is: after.id ?? '' };
  const marked = before.definition['deprecated'] === true;
  const marks = after.definition['deprecated'] === true;
  return [
    ...(before.id === after.id ? [] : [called.finding('operation-renamed', name, 'operationId')]),
    ...compareAddress(called, { before, after }),
    ...(marked === marks
      ? []
      : [called.finding(marks ? 'deprecated' : 'no-longer-deprecated', definitions)]),
    ...compareOwnServers(called, { before, after }),
    ...compareSecurity(sent, { before, after }),
    ...compareParameters(sent, { before, after }),
    ...compareBodies(sent, { before, after }),
    ...compareResponses(read, { before, after }),
  ];
}

function compareAddress(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  const details = { before: before.definition, after: after.definition };
  if (addressOf(before) !== addressOf(after)) {
    const [was, is] = [before, after].map(({ method, path }) => `${method} ${path}`);
    return [scope.finding('operation-moved', { ...details, was: was ?? '', is: is ?? '' })];
  }
  const [old, now] = [before, after].map(({ path }) => path.match(/\{[^}]*\}/g) ?? []);
  return (old ?? []).flatMap((was, index) => {
    const is = now?.[index] ?? '';
    return was === is ? [] : [scope.finding('path-parameter-renamed', { ...details, was, is })];
  });
}
