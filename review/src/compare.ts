import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { type Contract, member, members } from './contract.js';
import { below, type Difference, difference, type Finding, type Pair, wordsDiffer } from './finding.js';
import {
  documentServers,
  listOperations,
  listRequirements,
  meets,
  type Operation,
  pathParameters,
  type Requirement,
  requirementWords,
  serialization,
  writeAddress,
} from './operations.js';
import type { Party } from './rules.js';
import { compareSchemas } from './schema/compare.js';
import { canonical } from './schema/shape.js';

type Contracts = Pair<Contract>;

/** Compares two versions of the contract, and returns the differences for clients. */
export function compareContracts(contracts: Contracts): Finding[] {
  const old = listOperations(contracts.before);
  const now = listOperations(contracts.after);
  const pairs = pairOperations(old, now);
  const matched = new Set(pairs.flatMap(({ before, after }) => [before, after]));
  const documents = { before: contracts.before.document, after: contracts.after.document };
  const servers = { before: documentServers(contracts.before), after: documentServers(contracts.after) };
  const alone = (operation: Operation, side: 'before' | 'after') => {
    if (matched.has(operation)) return [];
    const { name, method, path, definition } = operation;
    const words = { [side === 'before' ? 'was' : 'is']: `${method} ${path}` };
    const rule = side === 'before' ? 'operation-removed' : 'operation-added';
    return told(name, 'caller', [difference(contracts, rule, { [side]: definition, ...words })]);
  };
  return [
    ...told('', 'caller', [...compareServers(contracts, documents, servers), ...compareSchemes(contracts)]),
    ...old.flatMap((operation) => alone(operation, 'before')),
    ...now.flatMap((operation) => alone(operation, 'after')),
    ...pairs.flatMap((pair) => compareOperation(contracts, pair)),
    ...told('', 'reader', compareShared(contracts)),
  ];
}

/** Returns the differences as findings. Their paths, unless they are empty, begin with the space before a step. */
function told(operation: string, party: Party, differences: readonly Difference[]): Finding[] {
  return differences.map((one) => ({ ...one, operation, party, path: one.path.slice(1) }));
}

/** Matches the operations of both versions: by their address, and the rest by their operationId. */
function pairOperations(old: readonly Operation[], now: readonly Operation[]): Pair<Operation>[] {
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
  match((before, after) => writeAddress(before) === writeAddress(after));
  match((before, after) => before.id !== undefined && before.id === after.id);
  return [...pairs].map(([before, after]) => ({ before, after }));
}

/** Compares two versions of one operation. */
function compareOperation(contracts: Contracts, pair: Pair<Operation>): Finding[] {
  const { before, after } = pair;
  const parts = { before: before.definition, after: after.definition };
  return [
    ...told(after.name, 'caller', [
      ...wordsDiffer(contracts, 'operation-renamed', parts, operationId, 'operationId'),
      ...compareAddress(contracts, pair),
      ...compareFlag(contracts, parts, 'deprecated'),
      ...compareOwnServers(contracts, pair),
    ]),
    ...told(after.name, 'sender', [
      ...compareSecurity(contracts, parts),
      ...compareParameters(contracts, pair),
      ...below(' body', compareRequestBodies(contracts, parts)),
    ]),
    ...told(after.name, 'reader', compareResponses(contracts, parts)),
  ];
}

function operationId({ operationId: id }: JsonRecord): string {
  return typeof id === 'string' ? id : '';
}

/** The meaning of a fact that becomes true, or no longer is, and the words for both. */
const FLAGS = {
  required: { on: 'required-now', off: 'optional-now', words: ['required', 'optional'] },
  deprecated: { on: 'deprecated', off: 'no-longer-deprecated', words: ['', ''] },
  allowReserved: { on: 'bound-loosened', off: 'bound-tightened', words: ['allowReserved', ''] },
  allowEmptyValue: { on: 'bound-loosened', off: 'bound-tightened', words: ['allowEmptyValue', ''] },
} as const;

type Flag = keyof typeof FLAGS;

function compareFlag(contracts: Contracts, parts: Pair<JsonRecord>, flag: Flag): Difference[] {
  const [did, does] = [parts.before[flag] === true, parts.after[flag] === true];
  if (did === does) return [];
  const details = { ...parts, was: flagWords(flag, did), is: flagWords(flag, does) };
  return [difference(contracts, does ? FLAGS[flag].on : FLAGS[flag].off, details)];
}

function flagWords(flag: Flag, isTrue: boolean): string {
  return FLAGS[flag].words[isTrue ? 0 : 1];
}

function necessity(part: JsonRecord): string {
  return flagWords('required', part['required'] === true);
}

/** The reports on named parts: of one that is gone, one that is new, and one that both versions have. */
interface Named<T> {
  /** Returns the counterpart; without it, the one of the same name. */
  readonly find?: (name: string) => T | undefined;
  readonly gone: (name: string, part: T) => Difference[];
  readonly come: (name: string, part: T) => Difference[];
  readonly both: (name: string, pair: Pair<T>) => Difference[];
}

function compareNamed<T>(
  { before, after }: Pair<ReadonlyMap<string, T>>,
  { find = (name) => after.get(name), gone, come, both }: Named<T>,
): Difference[] {
  const kept = [...before].flatMap(([name, old]) => {
    const now = find(name);
    return now === undefined ? gone(name, old) : both(name, { before: old, after: now });
  });
  const added = [...after].filter(([name]) => !before.has(name));
  return [...kept, ...added.flatMap(([name, part]) => come(name, part))];
}

function pairMembers(parts: Pair<unknown>, keyword: string): Pair<ReadonlyMap<string, unknown>> {
  const named = (part: unknown) => new Map(members(asRecord(part)[keyword]));
  return { before: named(parts.before), after: named(parts.after) };
}

function resolvePair({ before, after }: Contracts, pair: Pair<unknown>): Pair<JsonRecord> {
  return { before: before.resolve(pair.before), after: after.resolve(pair.after) };
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

/** Compares the servers of an operation, if it has its own in one of the versions; else the document's apply. */
function compareOwnServers(contracts: Contracts, { before, after }: Pair<Operation>): Difference[] {
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
function compareServers(
  contracts: Contracts,
  parts: Pair<JsonRecord>,
  { before, after }: Pair<readonly JsonRecord[]>,
): Difference[] {
  const byAddress = (servers: readonly JsonRecord[]) =>
    new Map(servers.map((server) => [String(server['url']), server]));
  return compareNamed(
    { before: byAddress(before), after: byAddress(after) },
    {
      gone: (was) => [difference(contracts, 'server-removed', { ...parts, was }, 'servers')],
      come: (is) => [difference(contracts, 'server-added', { ...parts, is }, 'servers')],
      both: (url, pair) => {
        // Servers have no `deprecated`; the extension says until when they answer.
        const [did, does] = [pair.before, pair.after].map((one) => one['x-roster-sunset']);
        if ((did === undefined) === (does === undefined)) return [];
        const rule = does === undefined ? 'no-longer-deprecated' : 'deprecated';
        return below(` server ${url}`, [difference(contracts, rule, pair)]);
      },
    },
  );
}

/**
 * Compares the security schemes of both versions. A removed scheme is reported at the operations that required
 * it.
 */
function compareSchemes(contracts: Contracts): Difference[] {
  const components = resolvePair(contracts, {
    before: contracts.before.document['components'],
    after: contracts.after.document['components'],
  });
  const words = ({ description: _, bearerFormat: __, ...rest }: JsonRecord) => canonical(rest);
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
function compareSecurity(contracts: Contracts, parts: Pair<JsonRecord>): Difference[] {
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

/** Compares parameters in the address, in headers and in cookies. */
function compareParameters(contracts: Contracts, { before, after }: Pair<Operation>): Difference[] {
  // Path parameters are identified by their position in the address; a change of it is told elsewhere.
  const names = pathParameters(after);
  const renamed = new Map(
    writeAddress(before) === writeAddress(after)
      ? pathParameters(before).map((name, index) => [`path ${name}`, `path ${names[index]}`])
      : [],
  );
  const step = (part: JsonRecord) => ` ${part['in']} ${part['name']}`;
  return compareNamed(
    { before: before.parameters, after: after.parameters },
    {
      find: (key) => after.parameters.get(renamed.get(key) ?? key),
      gone: (_, part) => {
        if (part['in'] === 'path') return [];
        const details = { before: part, was: necessity(part) };
        return below(step(part), [difference(contracts, 'parameter-removed', details)]);
      },
      come: (_, part) => {
        if (part['in'] === 'path') return [];
        const rule = part['required'] === true ? 'required-parameter-added' : 'parameter-added';
        const details = { after: part, is: necessity(part) };
        return below(step(part), [difference(contracts, rule, details)]);
      },
      both: (_, pair) => below(step(pair.after), compareParameter(contracts, pair)),
    },
  );
}

function compareParameter(contracts: Contracts, pair: Pair<JsonRecord>): Difference[] {
  const hasContent = [pair.before, pair.after].every(({ content }) => members(content).length > 0);
  return [
    ...compareFlag(contracts, pair, 'required'),
    ...wordsDiffer(contracts, 'parameter-serialization-changed', pair, serialization),
    ...compareFlag(contracts, pair, 'allowReserved'),
    ...compareFlag(contracts, pair, 'allowEmptyValue'),
    ...compareFlag(contracts, pair, 'deprecated'),
    ...(hasContent ? compareContent(contracts, 'sender', pair) : compareValues(contracts, 'sender', pair)),
  ];
}

/** Compares the schemas of two parts; a part without a schema allows any value. */
function compareValues(contracts: Contracts, party: Party, { before, after }: Pair<JsonRecord>) {
  const schemas = { before: before['schema'] ?? true, after: after['schema'] ?? true };
  return compareSchemas(contracts, party, schemas);
}

function compareRequestBodies(contracts: Contracts, definitions: Pair<JsonRecord>): Difference[] {
  const bodies = resolvePair(contracts, {
    before: definitions.before['requestBody'],
    after: definitions.after['requestBody'],
  });
  const { before, after } = bodies;
  const [had, has] = [before, after].map(({ content }) => content !== undefined);
  if (!had && !has) return [];
  if (!had) {
    const rule = after['required'] === true ? 'required-body-added' : 'body-added';
    return [difference(contracts, rule, { after, is: necessity(after) })];
  }
  if (!has) return [difference(contracts, 'body-removed', { before, was: necessity(before) })];
  return [
    ...compareFlag(contracts, bodies, 'required'),
    ...compareSize(contracts, bodies),
    ...compareContent(contracts, 'sender', bodies),
  ];
}

const SIZE = 'x-roster-max-body';

/** Compares the maximum sizes of bodies. */
function compareSize(contracts: Contracts, bodies: Pair<JsonRecord>): Difference[] {
  const [old, now] = [bodies.before[SIZE], bodies.after[SIZE]];
  if (old === now) return [];
  const bytes = (size: unknown) => (typeof size === 'number' ? size : Number.POSITIVE_INFINITY);
  const words = (size: unknown) => (size === undefined ? '' : `at most ${size} bytes`);
  const rule = bytes(now) < bytes(old) ? 'bound-tightened' : 'bound-loosened';
  const details = { ...bodies, was: words(old), is: words(now) };
  return [difference(contracts, rule, details, now === undefined ? '' : SIZE)];
}

/** Compares a body by its media types. */
function compareContent(contracts: Contracts, party: Party, body: Pair<JsonRecord>): Difference[] {
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

/** Compares the responses, status by status. */
function compareResponses(contracts: Contracts, parts: Pair<JsonRecord>): Difference[] {
  const now = asRecord(parts.after['responses']);
  return compareNamed(pairMembers(parts, 'responses'), {
    find: (status) => now[status] ?? now[`${status[0]}XX`] ?? now['default'],
    gone: (was, response) => {
      const details = { before: contracts.before.resolve(response), was };
      return below(` ${was}`, [difference(contracts, 'status-removed', details)]);
    },
    come: (is, response) => {
      const details = { after: contracts.after.resolve(response), is };
      return below(` ${is}`, [difference(contracts, 'status-added', details)]);
    },
    both: (status, pair) => below(` ${status}`, compareResponse(contracts, resolvePair(contracts, pair))),
  });
}

/** Compares two versions of a response: its body, its headers, its links. */
function compareResponse(contracts: Contracts, pair: Pair<JsonRecord>): Difference[] {
  const { before, after } = pair;
  const [had, has] = [before, after].map(({ content }) => members(content).length > 0);
  return [
    ...below(' body', [
      ...(had && !has ? [difference(contracts, 'body-removed', { before, was: 'a body' })] : []),
      ...(!had && has ? [difference(contracts, 'body-added', { after, is: 'a body' })] : []),
      ...(had === has ? compareContent(contracts, 'reader', pair) : []),
    ]),
    ...compareHeaders(contracts, pair),
    ...compareLinks(contracts, pair),
  ];
}

function compareHeaders(contracts: Contracts, { before, after }: Pair<JsonRecord>): Difference[] {
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
        return at(old.name, [...compareFlag(contracts, pair, 'required'), ...compareValues(contracts, 'reader', pair)]);
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
      both: (name, pair) => at(name, compareResponse(contracts, pair)),
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
