import { type Deprecation, findDeprecations } from './deprecations.js';
import type { Document, Pool } from './document-schema.js';
import { asRecord, type JsonRecord } from './json-record.js';
import { resolve } from './pointer.js';
import type { Scope } from './scopes.js';

const METHODS = ['get', 'put', 'post', 'delete'] as const;

type Method = (typeof METHODS)[number];

export interface Operation {
  readonly id: string;
  readonly method: Method;
  /** The path as written in the contract: `/projects/{project_name}`. */
  readonly path: string;
  /** The media types of the body; empty if the operation takes no body. */
  readonly consumes: readonly string[];
  /** The media types of successful responses; empty if they have no body. */
  readonly produces: readonly string[];
  /** The operation's own limit of the body, in bytes; infinite if it has none. */
  readonly maxBody: number;
  /** True if the handler reads the body itself, whatever its media type, without prior validation. */
  readonly defersBody: boolean;
  /** True if the handler takes large JSON as bytes, without prior validation. */
  readonly takesRawJson: boolean;
  readonly pool: Pool;
  /** True if a message that breaks the contract is answered with an error of JSON-RPC. */
  readonly speaksJsonRpc: boolean;
  /** True if it follows the rules of OAuth, and is there only if the service has a public URL. */
  readonly speaksOauth: boolean;
  /** The media type of the answer 400. */
  readonly faultType: string;
  /** The schema of a body of JSON or of a form, if the operation takes one. */
  readonly bodySchema: unknown;
  /** True if a caller needs no key. */
  readonly isOpen: boolean;
  /** The scopes of which a key needs one; empty if any key will do. */
  readonly scopes: readonly Scope[];
  /** Its own parameters, then those shared by all operations of its address. */
  readonly parameters: readonly JsonRecord[];
  /** The headers of the request that the operation reads: the name in lower case, and as in the contract. */
  readonly headers: readonly (readonly [string, string])[];
  readonly numericQuery: ReadonlyMap<string, 'integer' | 'number'>;
  readonly deprecations: readonly Deprecation[];
}

/** The media type of forms of HTML, which requests of OAuth are. */
export const FORM_TYPE = 'application/x-www-form-urlencoded';

/** The beginning of the addresses that clients of OpenAI's API use. */
export const OPENAI_PATHS = '/v1/';

export function listOperations(document: Document): Operation[] {
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const definition = item[method];
      if (!definition) continue;
      const { operationId: id, requestBody, responses, security } = definition;
      const parameters = [definition, item].flatMap((part) => readParameters(document, part));
      const content = requestBody?.content ?? {};
      const bodySchema = asRecord(content['application/json'] ?? content[FORM_TYPE])['schema'];
      operations.push({
        id,
        method,
        path,
        consumes: Object.keys(content),
        produces: typesOfSuccess(document, responses),
        maxBody: requestBody?.['x-roster-max-body'] ?? Number.POSITIVE_INFINITY,
        defersBody: requestBody?.['x-roster-deferred-body'] ?? false,
        takesRawJson: requestBody?.['x-roster-raw-json'] ?? false,
        pool: definition['x-roster-pool'] ?? 'requests',
        speaksJsonRpc: definition['x-roster-json-rpc'] ?? false,
        speaksOauth: definition['x-roster-oauth'] ?? false,
        faultType: findFaultType(document, responses['400']),
        bodySchema,
        isOpen: security.length === 0,
        scopes: security.flatMap((either) => ('apiKey' in either ? either.apiKey : [])),
        parameters,
        headers: parameters
          .filter((parameter) => parameter['in'] === 'header')
          .map(({ name }) => [String(name).toLowerCase(), String(name)] as const),
        numericQuery: findNumericQuery(document, parameters),
        deprecations: findDeprecations(document, definition, item['servers'], parameters, bodySchema),
      });
    }
  }
  return operations;
}

function findFaultType(document: Document, response: unknown): string {
  const { content } = resolve(document, response);
  return Object.keys(asRecord(content))[0] ?? '';
}

function readParameters(document: Document, { parameters }: JsonRecord): JsonRecord[] {
  return Array.isArray(parameters) ? parameters.map((parameter) => resolve(document, parameter)) : [];
}

function findNumericQuery(document: Document, parameters: readonly JsonRecord[]) {
  const numeric = new Map<string, 'integer' | 'number'>();
  for (const { name, in: where, schema } of parameters) {
    const { type } = resolve(document, schema);
    if (where === 'query' && (type === 'integer' || type === 'number')) {
      numeric.set(String(name), type);
    }
  }
  return numeric;
}

/** Returns each media type of the successful responses once, in their order. */
function typesOfSuccess(document: unknown, responses: JsonRecord): string[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const types = successes.flatMap(([, response]) => Object.keys(asRecord(resolve(document, response)['content'])));
  return [...new Set(types)];
}
