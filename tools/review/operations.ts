import { asRecord, type JsonRecord } from '../../server/contract/json-record.js';
import { type Contract, elements, member, members, texts } from './contract.js';
import type { Finding } from './finding.js';
import type { Party, Rule } from './rules.js';
import { compareSchemas } from './schema/compare.js';
import { type Details, difference, type Pair } from './schema/comparison.js';
import { canonical } from './schema/shape.js';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** An operation of one version of the contract. */
export interface Operation {
  /** The operationId; `GET /address` if it has none. */
  readonly name: string;
  readonly id: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly definition: JsonRecord;
  /** Its own servers, or those of its path; undefined if the document's apply. */
  readonly servers: readonly JsonRecord[] | undefined;
  /** Its own parameters and those of its path, by location and name. */
  readonly parameters: ReadonlyMap<string, JsonRecord>;
}

/** Returns the operations of a contract, in its order. */
export function operationsOf(contract: Contract): Operation[] {
  return members(contract.document['paths']).flatMap(([path, reference]) => {
    const item = contract.resolve(reference);
    return METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const definition = contract.resolve(item[method]);
      const [id] = texts([definition['operationId']]);
      return {
        id,
        name: id ?? `${method.toUpperCase()} ${path}`,
        method: method.toUpperCase(),
        path,
        definition,
        servers: ownServers(definition) ?? ownServers(item),
        parameters: parametersOf(contract, [item, definition]),
      };
    });
  });
}

/** Header parameters that OpenAPI ignores (OpenAPI 3.1, 4.8.12.2); names of headers are case-insensitive. */
const NOT_PARAMETERS = new Set(['header accept', 'header content-type', 'header authorization']);

function parametersOf(
  contract: Contract,
  levels: readonly JsonRecord[],
): ReadonlyMap<string, JsonRecord> {
  const parameters = new Map<string, JsonRecord>();
  for (const level of levels) {
    for (const reference of elements(level['parameters'])) {
      const parameter = contract.resolve(reference);
      const place = String(parameter['in']);
      const name = String(parameter['name']);
      const key = `${place} ${place === 'header' ? name.toLowerCase() : name}`;
      if (!NOT_PARAMETERS.has(key)) parameters.set(key, parameter);
    }
  }
  return parameters;
}

function ownServers(part: JsonRecord): JsonRecord[] | undefined {
  const servers = elements(part['servers']).map(asRecord);
  return servers.length > 0 ? servers : undefined;
}

/** Returns the address without the names of its parameters, which clients do not see. */
export function addressOf({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
}

/** A part of an operation. Its findings have the operation's name and the part's path. */
export class Scope {
  constructor(
    readonly contracts: Pair<Contract>,
    readonly operation: string,
    readonly party: Party,
    private readonly path = '',
  ) {}

  /** Returns the scope of a part of this one. */
  within(step: string): Scope {
    const path = [this.path, step].filter(Boolean).join(' ');
    return new Scope(this.contracts, this.operation, this.party, path);
  }

  /** Returns a finding in this scope, at the place of the differing part; `keyword` extends the pointer. */
  finding(rule: Rule, details: Details, keyword = ''): Finding {
    const { operation, party, path } = this;
    return { ...difference(this, rule, details, keyword), operation, party, path };
  }

  /** Compares the schemas of two parts; a part without a schema allows any value. */
  schemas(before: JsonRecord, after: JsonRecord): Finding[] {
    const { operation, party } = this;
    const pair = { before: before['schema'] ?? true, after: after['schema'] ?? true };
    return compareSchemas(this.contracts, party, pair).map((one) => ({
      ...one,
      operation,
      party,
      path: `${this.path}${one.path}`,
    }));
  }
}

/** Compares two versions of one operation. */
export function compareOperation(contracts: Pair<Contract>, pair: Pair<Operation>): Finding[] {
  const { before, after } = pair;
  const called = new Scope(contracts, after.name, 'caller');
  const sent = new Scope(contracts, after.name, 'sender');
  const read = new Scope(contracts, after.name, 'reader');
  const definitions = { before: before.definition, after: after.definition };
  const name = { ...definitions, was: before.id ?? '', is: after.id ?? '' };
  return [
    ...(before.id === after.id ? [] : [called.finding('operation-renamed', name, 'operationId')]),
    ...compareAddress(called, pair),
    ...compareFlag(called, definitions, 'deprecated'),
    ...compareOwnServers(called, pair),
    ...compareSecurity(sent, pair),
    ...compareParameters(sent, pair),
    ...compareBodies(sent, definitions),
    ...compareResponses(read, definitions),
  ];
}

/** The meaning of a fact that becomes true, or no longer is, and the words for both. */
const FLAGS = {
  required: { on: 'required-now', off: 'optional-now', words: ['required', 'optional'] },
  deprecated: { on: 'deprecated', off: 'no-longer-deprecated', words: ['', ''] },
  allowReserved: { on: 'bound-loosened', off: 'bound-tightened', words: ['allowReserved', ''] },
  allowEmptyValue: { on: 'bound-loosened', off: 'bound-tightened', words: ['allowEmptyValue', ''] },
} as const;

type Flag = keyof typeof FLAGS;

function compareFlag(scope: Scope, parts: Pair<JsonRecord>, flag: Flag): Finding[] {
  const [did, does] = [parts.before[flag] === true, parts.after[flag] === true];
  if (did === does) return [];
  const details = { ...parts, was: flagWords(flag, did), is: flagWords(flag, does) };
  return [scope.finding(does ? FLAGS[flag].on : FLAGS[flag].off, details)];
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
  readonly gone: (name: string, part: T) => Finding[];
  readonly come: (name: string, part: T) => Finding[];
  readonly both: (name: string, pair: Pair<T>) => Finding[];
}

function compareNamed<T>(
  { before, after }: Pair<ReadonlyMap<string, T>>,
  { find = (name) => after.get(name), gone, come, both }: Named<T>,
): Finding[] {
  const kept = [...before].flatMap(([name, old]) => {
    const now = find(name);
    return now === undefined ? gone(name, old) : both(name, { before: old, after: now });
  });
  const added = [...after].filter(([name]) => !before.has(name));
  return [...kept, ...added.flatMap(([name, part]) => come(name, part))];
}

function compareAddress(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  const details = { before: before.definition, after: after.definition };
  if (addressOf(before) !== addressOf(after)) {
    const was = `${before.method} ${before.path}`;
    return [
      scope.finding('operation-moved', { ...details, was, is: `${after.method} ${after.path}` }),
    ];
  }
  const now = pathParameters(after);
  return pathParameters(before).flatMap((name, index) => {
    const [was, is] = [`{${name}}`, `{${now[index]}}`];
    return was === is ? [] : [scope.finding('path-parameter-renamed', { ...details, was, is })];
  });
}

function pathParameters({ path }: Operation): readonly string[] {
  return path.match(/(?<=\{)[^}]*(?=\})/g) ?? [];
}

/** Servers, and the part of the contract that lists them. */
interface Servers {
  readonly part: JsonRecord;
  readonly servers: readonly JsonRecord[];
}

/** Compares the servers of an operation, if it has its own in one of the versions; else the document's apply. */
function compareOwnServers(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  if (!before.servers && !after.servers) return [];
  const of = ({ definition: part, servers }: Operation, { document }: Contract): Servers => ({
    part,
    servers: servers ?? documentServers(document).servers,
  });
  const { contracts } = scope;
  return compareServers(scope, {
    before: of(before, contracts.before),
    after: of(after, contracts.after),
  });
}

/** Compares two lists of servers by their addresses. */
export function compareServers(scope: Scope, { before, after }: Pair<Servers>): Finding[] {
  const details = { before: before.part, after: after.part };
  const byAddress = ({ servers }: Servers) =>
    new Map(servers.map((server) => [String(server['url']), server]));
  return compareNamed(
    { before: byAddress(before), after: byAddress(after) },
    {
      gone: (was) => [scope.finding('server-removed', { ...details, was }, 'servers')],
      come: (is) => [scope.finding('server-added', { ...details, is }, 'servers')],
      both: (url, pair) => {
        // Servers have no `deprecated`; the extension says until when they answer.
        const [did, does] = [pair.before, pair.after].map((one) => one['x-roster-sunset']);
        if ((did === undefined) === (does === undefined)) return [];
        const rule = does === undefined ? 'no-longer-deprecated' : 'deprecated';
        return [scope.within(`server ${url}`).finding(rule, pair)];
      },
    },
  );
}

/** Returns the servers of a document, which has one at `/` by default (OpenAPI 3.1, section 4.8.1). */
export function documentServers(document: JsonRecord): Servers {
  return { part: document, servers: ownServers(document) ?? [{ url: '/' }] };
}

/** A security requirement: the scopes for each scheme. */
type Requirement = ReadonlyMap<string, readonly string[]>;

/** Compares the security requirements, of which a caller must satisfy one, with all of its schemes. */
function compareSecurity(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  const old = requirementsOf(scope.contracts.before, before);
  const now = requirementsOf(scope.contracts.after, after);
  const isCovered = (one: Requirement, by: readonly Requirement[]) =>
    by.some((other) => meets(one, other));
  const parts = { before: before.definition, after: after.definition };
  const details = { ...parts, was: requirementWords(old), is: requirementWords(now) };
  const inner = scope.within('security');
  if (!old.every((one) => isCovered(one, now))) {
    return [inner.finding('security-tightened', details, 'security')];
  }
  if (!now.every((one) => isCovered(one, old))) {
    return [inner.finding('security-loosened', details, 'security')];
  }
  return [];
}

/** Returns whether a caller who satisfies the first requirement satisfies the second. */
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

function requirementWords(requirements: readonly Requirement[]): string {
  const one = (requirement: Requirement) =>
    [...requirement]
      .map(([scheme, scopes]) => [scheme, ...scopes.map((scope) => `“${scope}”`)].join(' '))
      .join(' and ') || 'nothing';
  return requirements.map(one).join(', or ');
}

/** Compares parameters in the address, in headers and in cookies. */
function compareParameters(scope: Scope, { before, after }: Pair<Operation>): Finding[] {
  // Path parameters are identified by their position in the address; a change of it is told elsewhere.
  const names = pathParameters(after);
  const renamed = new Map(
    addressOf(before) === addressOf(after)
      ? pathParameters(before).map((name, index) => [`path ${name}`, `path ${names[index]}`])
      : [],
  );
  const within = (parameter: JsonRecord) => scope.within(`${parameter['in']} ${parameter['name']}`);
  return compareNamed(
    { before: before.parameters, after: after.parameters },
    {
      find: (key) => after.parameters.get(renamed.get(key) ?? key),
      gone: (_, part) =>
        part['in'] === 'path'
          ? []
          : [within(part).finding('parameter-removed', { before: part, was: necessity(part) })],
      come: (_, part) => {
        if (part['in'] === 'path') return [];
        const rule = part['required'] === true ? 'required-parameter-added' : 'parameter-added';
        return [within(part).finding(rule, { after: part, is: necessity(part) })];
      },
      both: (_, pair) => compareParameter(within(pair.after), pair),
    },
  );
}

function compareParameter(scope: Scope, pair: Pair<JsonRecord>): Finding[] {
  const { before, after } = pair;
  const [was, is] = [serialization(before), serialization(after)];
  const hasContent = [before, after].every(({ content }) => members(content).length > 0);
  return [
    ...compareFlag(scope, pair, 'required'),
    ...(was === is ? [] : [scope.finding('parameter-serialization-changed', { ...pair, was, is })]),
    ...compareFlag(scope, pair, 'allowReserved'),
    ...compareFlag(scope, pair, 'allowEmptyValue'),
    ...compareFlag(scope, pair, 'deprecated'),
    ...(hasContent ? compareContent(scope, pair) : scope.schemas(before, after)),
  ];
}

const STYLES: Readonly<Record<string, string>> = { query: 'form', cookie: 'form' };

/** Returns the serialization of a value (OpenAPI 3.1, 4.8.12.2 and 4.8.12.3), with the defaults filled in. */
function serialization(parameter: JsonRecord): string {
  const content = members(parameter['content']).map(([type]) => type);
  if (content.length > 0) return `as ${content.join()}`;
  const style = parameter['style'] ?? STYLES[String(parameter['in'])] ?? 'simple';
  const explode = parameter['explode'] ?? style === 'form';
  return `style ${style}${explode ? ', exploded' : ''}`;
}

/** Compares the bodies of requests. */
function compareBodies(operation: Scope, definitions: Pair<JsonRecord>): Finding[] {
  const scope = operation.within('body');
  const before = scope.contracts.before.resolve(definitions.before['requestBody']);
  const after = scope.contracts.after.resolve(definitions.after['requestBody']);
  const [had, has] = [before, after].map(({ content }) => content !== undefined);
  if (!had && !has) return [];
  if (!had) {
    const rule = after['required'] === true ? 'required-body-added' : 'body-added';
    return [scope.finding(rule, { after, is: necessity(after) })];
  }
  if (!has) return [scope.finding('body-removed', { before, was: necessity(before) })];
  return [
    ...compareFlag(scope, { before, after }, 'required'),
    ...compareSize(scope, { before, after }),
    ...compareContent(scope, { before, after }),
  ];
}

const SIZE = 'x-roster-max-body';

/** Compares the maximum sizes of bodies. */
function compareSize(scope: Scope, bodies: Pair<JsonRecord>): Finding[] {
  const [old, now] = [bodies.before[SIZE], bodies.after[SIZE]];
  if (old === now) return [];
  const bytes = (size: unknown) => (typeof size === 'number' ? size : Number.POSITIVE_INFINITY);
  const words = (size: unknown) => (size === undefined ? '' : `at most ${size} bytes`);
  const rule = bytes(now) < bytes(old) ? 'bound-tightened' : 'bound-loosened';
  const details = { ...bodies, was: words(old), is: words(now) };
  return [scope.finding(rule, details, now === undefined ? '' : SIZE)];
}

/** Compares a body by its media types. */
function compareContent(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const old = new Map(members(before['content']));
  const now = new Map(members(after['content']));
  const only = old.size === 1 && now.size === 1;
  return compareNamed(
    { before: old, after: now },
    {
      find: (type) =>
        now.has(type) ? now.get(type) : [...now].find(([range]) => covers(range, type))?.[1],
      gone: (was) => [scope.finding('media-type-removed', { before, was }, 'content')],
      come: (is) => [scope.finding('media-type-added', { after, is }, 'content')],
      both: (type, media) =>
        compareMedia(only ? scope : scope.within(`(${type})`), {
          before: asRecord(media.before),
          after: asRecord(media.after),
        }),
    },
  );
}

/** Returns whether a media range covers a type: `text/*` covers `text/csv` (RFC 9110, 12.5.1). */
function covers(range: string, type: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

function compareMedia(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const was = canonical(before['encoding'] ?? {});
  const is = canonical(after['encoding'] ?? {});
  const details = { before, after, was, is };
  return [
    ...(was === is ? [] : [scope.finding('encoding-changed', details, 'encoding')]),
    ...scope.schemas(before, after),
  ];
}

/** Compares the responses, status by status. */
function compareResponses(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const { contracts } = scope;
  const now = asRecord(after['responses']);
  return compareNamed(
    { before: new Map(members(before['responses'])), after: new Map(members(now)) },
    {
      find: (status) => now[status] ?? now[`${status[0]}XX`] ?? now['default'],
      gone: (status, response) => [
        scope.within(status).finding('status-removed', {
          ...{ before: contracts.before.resolve(response), was: status },
        }),
      ],
      come: (status, response) => [
        scope.within(status).finding('status-added', {
          ...{ after: contracts.after.resolve(response), is: status },
        }),
      ],
      both: (status, pair) => compareResponse(scope.within(status), resolvePair(contracts, pair)),
    },
  );
}

function resolvePair(contracts: Pair<Contract>, { before, after }: Pair<unknown>) {
  return { before: contracts.before.resolve(before), after: contracts.after.resolve(after) };
}

/** Compares two versions of a response: its body, its headers, its links. */
function compareResponse(scope: Scope, pair: Pair<JsonRecord>): Finding[] {
  const { before, after } = pair;
  const body = scope.within('body');
  const [had, has] = [before, after].map(({ content }) => members(content).length > 0);
  return [
    ...(had && !has ? [body.finding('body-removed', { before, was: 'a body' })] : []),
    ...(!had && has ? [body.finding('body-added', { after, is: 'a body' })] : []),
    ...(had === has ? compareContent(body, pair) : []),
    ...compareHeaders(scope, pair),
    ...compareLinks(scope, pair),
  ];
}

function compareHeaders(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const byName = (response: JsonRecord) =>
    new Map(
      members(response['headers']).map(([name, header]) => [name.toLowerCase(), { name, header }]),
    );
  const within = (name: string) => scope.within(`header ${name}`);
  return compareNamed(
    { before: byName(before), after: byName(after) },
    {
      gone: (_, { name }) => [
        within(name).finding('header-removed', { before, was: name }, 'headers'),
      ],
      come: (_, { name }) => [within(name).finding('header-added', { after, is: name }, 'headers')],
      both: (_, { before: old, after: now }) => {
        const inner = within(old.name);
        const headers = { before: old.header, after: now.header };
        const pair = resolvePair(scope.contracts, headers);
        return [...compareFlag(inner, pair, 'required'), ...inner.schemas(pair.before, pair.after)];
      },
    },
  );
}

function compareLinks(scope: Scope, { before, after }: Pair<JsonRecord>): Finding[] {
  const within = (name: string) => scope.within(`link ${name}`);
  return compareNamed(
    { before: new Map(members(before['links'])), after: new Map(members(after['links'])) },
    {
      gone: (name) => [within(name).finding('link-removed', { before, was: name }, 'links')],
      come: (name) => [within(name).finding('link-added', { after, is: name }, 'links')],
      both: (name, links) => {
        const pair = resolvePair(scope.contracts, links);
        const [was, is] = [leadsTo(pair.before), leadsTo(pair.after)];
        return was === is ? [] : [within(name).finding('link-changed', { ...pair, was, is })];
      },
    },
  );
}

function leadsTo({ description: _, ...link }: JsonRecord): string {
  return canonical(link);
}

/**
 * Compares the shared responses that no operation refers to: the answers where there is no operation, such as
 * at an unknown address.
 */
export function compareShared(contracts: Pair<Contract>): Finding[] {
  const scope = new Scope(contracts, '', 'reader');
  const within = (name: string) => scope.within(`response ${name}`);
  const [old, now] = [sharedResponses(contracts.before), sharedResponses(contracts.after)];
  return compareNamed(
    { before: old.unused, after: now.unused },
    {
      gone: (name, before) =>
        now.all.has(name) ? [] : [within(name).finding('status-removed', { before, was: name })],
      come: (name, after) =>
        old.all.has(name) ? [] : [within(name).finding('status-added', { after, is: name })],
      both: (name, pair) => compareResponse(within(name), pair),
    },
  );
}

function sharedResponses(contract: Contract) {
  const used = new Set(
    operationsOf(contract).flatMap(({ definition }) =>
      members(definition['responses']).map(([, response]) => contract.resolve(response)),
    ),
  );
  const all = members(member(contract.document['components'], 'responses')).map(
    ([name, response]) => [name, contract.resolve(response)] as const,
  );
  return { all: new Map(all), unused: new Map(all.filter(([, response]) => !used.has(response))) };
}
