import type { JsonRecord } from '../../contract/json-record.js';
import { compareOwnServers, compareSchemes, compareSecurity, compareServers } from './access.js';
import { type Contract, member, members, texts } from './contract.js';
import { below, type Difference, difference, type Finding, type Pair, wordsDiffer } from './finding.js';
import { comparePartLife, ruleOfRemoval } from './lifecycle.js';
import { compareNamed, pairMembers, resolvePair } from './named.js';
import { documentServers, listOperations, type Operation, pathParameters, writeAddress } from './operations.js';
import { compareParameters, compareRequestBodies } from './requests.js';
import { compareResponse, compareResponses } from './responses.js';
import type { Party, Rule } from './rules.js';

type Contracts = Pair<Contract>;

/** Compares two versions of the contract, and returns the differences for clients. */
export function compareContracts(contracts: Contracts): Finding[] {
  const documents = { before: contracts.before.document, after: contracts.after.document };
  const servers = { before: documentServers(contracts.before), after: documentServers(contracts.after) };
  const operations = { before: listOperations(contracts.before), after: listOperations(contracts.after) };
  const webhooks = resolvePair(contracts, { before: documents.before['webhooks'], after: documents.after['webhooks'] });
  return [
    ...asFindings('', 'caller', [...compareServers(contracts, documents, servers), ...compareSchemes(contracts)]),
    ...compareOperations(contracts, operations, TO_SERVICE),
    ...compareOperations(contracts, listBoth(contracts, webhooks, 'webhook'), FROM_SERVICE),
    ...asFindings('', 'reader', compareShared(contracts)),
  ];
}

/** The direction of an operation: who sends its requests and reads its responses, and the rules of the whole. */
interface Direction {
  /** The party whose call it is. */
  readonly whole: Party;
  /** The client's part in the requests, and in the responses. */
  readonly requests: Party;
  readonly responses: Party;
  readonly added: Rule;
  readonly removed: Rule;
}

/** Operations that clients call. */
const TO_SERVICE: Direction = {
  whole: 'caller',
  requests: 'sender',
  responses: 'reader',
  added: 'operation-added',
  removed: 'operation-removed',
};

/** Webhooks and callbacks, which the service calls: the client reads their requests, and sends their responses. */
const FROM_SERVICE: Direction = {
  whole: 'reader',
  requests: 'reader',
  responses: 'sender',
  added: 'webhook-added',
  removed: 'webhook-removed',
};

/** Returns the operations of two maps of path items that the service calls, named by what they are. */
function listBoth({ before, after }: Contracts, maps: Pair<unknown>, prefix: string): Pair<Operation[]> {
  const list = (contract: Contract, items: unknown) =>
    listOperations(contract, items).map((operation) => {
      const { method, path } = operation;
      return { ...operation, id: undefined, name: `${prefix} ${path} ${method}` };
    });
  return { before: list(before, maps.before), after: list(after, maps.after) };
}

function compareOperations(contracts: Contracts, operations: Pair<Operation[]>, direction: Direction): Finding[] {
  const pairs = pairOperations(operations.before, operations.after);
  const matched = new Set(pairs.flatMap(({ before, after }) => [before, after]));
  const alone = (operation: Operation, rule: Rule, side: 'before' | 'after') => {
    if (matched.has(operation)) return [];
    const { name, method, path, definition } = operation;
    const words = { [side === 'before' ? 'was' : 'is']: `${method} ${path}` };
    return asFindings(name, direction.whole, [difference(contracts, rule, { [side]: definition, ...words })]);
  };
  return [
    ...operations.before.flatMap((one) =>
      alone(one, ruleOfRemoval(contracts, direction.removed, one.definition), 'before'),
    ),
    ...operations.after.flatMap((one) => alone(one, direction.added, 'after')),
    ...pairs.flatMap((pair) => compareOperation(contracts, pair, direction)),
  ];
}

/** Returns the differences as findings. Their paths, unless they are empty, begin with the space before a step. */
function asFindings(operation: string, party: Party, differences: readonly Difference[]): Finding[] {
  return differences.map((one) => ({ ...one, operation, party, path: one.path.slice(1) }));
}

/** Matches the operations of both versions: by their address, and the rest by their operationId. */
function pairOperations(old: readonly Operation[], now: readonly Operation[]): Pair<Operation>[] {
  const left = new Set(now);
  const pairs = new Map<Operation, Operation>();
  const match = (keyOf: (operation: Operation) => string | undefined) => {
    const byKey = new Map([...left].reverse().map((one) => [keyOf(one), one]));
    byKey.delete(undefined);
    for (const before of old) {
      const key = keyOf(before);
      const after = pairs.has(before) ? undefined : byKey.get(key);
      if (!after) continue;
      byKey.delete(key);
      pairs.set(before, after);
      left.delete(after);
    }
  };
  match(writeAddress);
  match(({ id }) => id);
  return [...pairs].map(([before, after]) => ({ before, after }));
}

/** Compares two versions of one operation. */
function compareOperation(contracts: Contracts, pair: Pair<Operation>, direction: Direction): Finding[] {
  const { before, after } = pair;
  const parts = { before: before.definition, after: after.definition };
  const isCalled = direction === TO_SERVICE;
  return [
    ...asFindings(after.name, direction.whole, [
      ...(isCalled ? compareNames(contracts, pair) : []),
      ...comparePartLife(contracts, parts),
    ]),
    ...asFindings(after.name, direction.requests, [
      ...(isCalled ? compareSecurity(contracts, parts) : []),
      ...compareParameters(contracts, direction.requests, pair),
      ...below(' body', compareRequestBodies(contracts, direction.requests, parts)),
    ]),
    ...asFindings(after.name, direction.responses, compareResponses(contracts, direction.responses, parts)),
    ...(isCalled ? compareCallbacks(contracts, pair) : []),
  ];
}

/** Compares the names by which clients find an operation. */
function compareNames(contracts: Contracts, pair: Pair<Operation>): Difference[] {
  const parts = { before: pair.before.definition, after: pair.after.definition };
  return [
    ...wordsDiffer(contracts, 'operation-renamed', parts, operationId, 'operationId'),
    ...wordsDiffer(contracts, 'first-tag-changed', parts, firstTag, 'tags'),
    ...compareAddress(contracts, pair),
    ...compareOwnServers(contracts, pair),
  ];
}

function operationId({ operationId: id }: JsonRecord): string {
  return typeof id === 'string' ? id : '';
}

/** Returns the tag after which generators of clients name the group of a method; empty if there is none. */
function firstTag({ tags }: JsonRecord): string {
  return texts(tags)[0] ?? '';
}

/** Compares the callbacks of an operation, by their names and the expressions of their addresses. */
function compareCallbacks(contracts: Contracts, { before, after }: Pair<Operation>): Finding[] {
  const named = pairMembers({ before: before.definition, after: after.definition }, 'callbacks');
  return [...new Set([...named.before.keys(), ...named.after.keys()])].flatMap((name) => {
    const items = resolvePair(contracts, { before: named.before.get(name), after: named.after.get(name) });
    return compareOperations(contracts, listBoth(contracts, items, `${after.name} callback ${name}`), FROM_SERVICE);
  });
}

function compareAddress(contracts: Contracts, { before, after }: Pair<Operation>): Difference[] {
  const parts = { before: before.definition, after: after.definition };
  if (writeAddress(before) !== writeAddress(after)) {
    const words = { was: `${before.method} ${before.path}`, is: `${after.method} ${after.path}` };
    return [difference(contracts, 'operation-moved', { ...parts, ...words })];
  }
  const now = pathParameters(after);
  return pathParameters(before).flatMap((name, index) => {
    const [was, is] = [`{${name}}`, `{${now[index]}}`];
    if (was === is) return [];
    return [difference(contracts, 'path-parameter-renamed', { ...parts, was, is })];
  });
}

/**
 * Compares the shared responses that no operation refers to: the answers where there is no operation, such as
 * at an unknown address.
 */
function compareShared(contracts: Contracts): Difference[] {
  const [old, now] = [sharedResponses(contracts.before), sharedResponses(contracts.after)];
  const at = (name: string, differences: Difference[]) => below(` response ${name}`, differences);
  return compareNamed(
    { before: old.unused, after: now.unused },
    {
      gone: (was, before) =>
        now.all.has(was) ? [] : at(was, [difference(contracts, 'status-removed', { before, was })]),
      come: (is, after) => (old.all.has(is) ? [] : at(is, [difference(contracts, 'status-added', { after, is })])),
      both: (name, pair) => at(name, compareResponse(contracts, 'reader', pair)),
    },
  );
}

function sharedResponses(contract: Contract) {
  const used = new Set(
    listOperations(contract).flatMap(({ definition }) =>
      members(definition['responses']).map(([, response]) => contract.resolve(response)),
    ),
  );
  const all = members(member(contract.document['components'], 'responses')).map(
    ([name, response]) => [name, contract.resolve(response)] as const,
  );
  return { all: new Map(all), unused: new Map(all.filter(([, response]) => !used.has(response))) };
}
