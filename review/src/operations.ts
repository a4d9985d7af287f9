import { asArray, asRecord, type JsonRecord } from '../../contract/json-record.js';
import { METHODS } from '../../contract/parts.js';
import { type Contract, members, texts } from './contract.js';

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

/**
 * Returns the operations of a contract, in its order.
 * @param items path items by their address; without it, those of the document
 */
export function listOperations(contract: Contract, items: unknown = contract.document['paths']): Operation[] {
  return members(items).flatMap(([path, reference]) => {
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
        parameters: listParameters(contract, [item, definition]),
      };
    });
  });
}

/** Header parameters that OpenAPI ignores (OpenAPI 3.1, 4.8.12.2); names of headers are case-insensitive. */
const NOT_PARAMETERS = new Set(['header accept', 'header content-type', 'header authorization']);

function listParameters(contract: Contract, levels: readonly JsonRecord[]): ReadonlyMap<string, JsonRecord> {
  const all = levels
    .flatMap((level) => asArray(level['parameters']))
    .map((reference) => contract.resolve(reference))
    .map((parameter) => {
      const name = String(parameter['name']);
      const isHeader = parameter['in'] === 'header';
      return [`${parameter['in']} ${isHeader ? name.toLowerCase() : name}`, parameter] as const;
    });
  return new Map(all.filter(([key]) => !NOT_PARAMETERS.has(key)));
}

function ownServers(part: JsonRecord): JsonRecord[] | undefined {
  const servers = asArray(part['servers']).map(asRecord);
  return servers.length > 0 ? servers : undefined;
}

/** Returns the servers of a document, which has one at `/` by default (OpenAPI 3.1, section 4.8.1). */
export function documentServers({ document }: Contract): readonly JsonRecord[] {
  return ownServers(document) ?? [{ url: '/' }];
}

/** Returns the address without the names of its parameters, which clients do not see. */
export function writeAddress({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
}

/** Returns the names of the parameters in the address, in their order. */
export function pathParameters({ path }: Operation): readonly string[] {
  return path.match(/(?<=\{)[^}]*(?=\})/g) ?? [];
}

const STYLES: Readonly<Record<string, string>> = { query: 'form', cookie: 'form' };

/** Returns the serialization of a value (OpenAPI 3.1, 4.8.12.2 and 4.8.12.3), with the defaults filled in. */
export function serialization(parameter: JsonRecord): string {
  const content = members(parameter['content']).map(([type]) => type);
  if (content.length > 0) return `as ${content.join()}`;
  const style = parameter['style'] ?? STYLES[String(parameter['in'])] ?? 'simple';
  const explode = parameter['explode'] ?? style === 'form';
  return `style ${style}${explode ? ', exploded' : ''}`;
}

/** A security requirement: the scopes for each scheme. */
export type Requirement = ReadonlyMap<string, readonly string[]>;

/** Returns whether a caller who satisfies the first requirement satisfies the second. */
export function meets(has: Requirement, asked: Requirement): boolean {
  return [...asked].every(
    ([scheme, scopes]) => scopes.every((scope) => has.get(scheme)?.includes(scope)) && has.has(scheme),
  );
}

/** Returns the operation's own requirements, or the document's; empty if there are none. */
export function listRequirements({ document }: Contract, definition: JsonRecord): Requirement[] {
  const listed = asArray(definition['security'] ?? document['security'] ?? []);
  const requirements = listed.map(
    (one) => new Map(members(asRecord(one)).map(([scheme, scopes]) => [scheme, texts(scopes)])),
  );
  return requirements.length > 0 ? requirements : [new Map()];
}

/** Formats requirements as a caller reads them: `apiKey “read”, or nothing`. */
export function requirementWords(requirements: readonly Requirement[]): string {
  const one = (requirement: Requirement) =>
    [...requirement]
      .map(([scheme, scopes]) => [scheme, ...scopes.map((scope) => `“${scope}”`)].join(' '))
      .join(' and ') || 'nothing';
  return requirements.map(one).join(', or ');
}
