import { asRecord, type JsonRecord } from '../../server/contract/json-record.js';
import { METHODS } from '../generator/check/parts.js';
import { type Contract, elements, members, texts } from './contract.js';

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
  const all = levels
    .flatMap((level) => elements(level['parameters']))
    .map((reference) => contract.resolve(reference))
    .map((parameter) => {
      const name = String(parameter['name']);
      const isHeader = parameter['in'] === 'header';
      return [`${parameter['in']} ${isHeader ? name.toLowerCase() : name}`, parameter] as const;
    });
  return new Map(all.filter(([key]) => !NOT_PARAMETERS.has(key)));
}

function ownServers(part: JsonRecord): JsonRecord[] | undefined {
  const servers = elements(part['servers']).map(asRecord);
  return servers.length > 0 ? servers : undefined;
}

/** Returns the servers of a document, which has one at `/` by default (OpenAPI 3.1, section 4.8.1). */
export function documentServers({ document }: Contract): readonly JsonRecord[] {
  return ownServers(document) ?? [{ url: '/' }];
}

/** Returns the address without the names of its parameters, which clients do not see. */
export function addressOf({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
}

/** Returns the names of the parameters in the address, in their order. */
export function pathParameters({ path }: Operation): readonly string[] {
  return path.match(/(?<=\{)[^}]*(?=\})/g) ?? [];
}
