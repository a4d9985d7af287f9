import type { JsonRecord } from '../../../server/contract/json-record.js';
import { type Contract, elements, members } from '../contract/contract.js';
import { ownServers } from './own-servers.js';

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
    return METHODS.flatMap((method) => {
      if (item[method] === undefined) return [];
      const definition = contract.resolve(item[method]);
      const id = definition['operationId'];
      return [
        {
          id: typeof id === 'string' ? id : undefined,
          name: typeof id === 'string' ? id : `${method.toUpperCase()} ${path}`,
          method: method.toUpperCase(),
          path,
          definition,
          servers: ownServers(definition) ?? ownServers(item),
          parameters: parametersOf(contract, [item, definition]),
        },
      ];
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

/** Returns the address without the names of its parameters, which clients do not see. */
export function addressOf({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
}
