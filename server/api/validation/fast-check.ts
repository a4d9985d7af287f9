import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Request } from 'express';
import type { Contract, Document, Operation } from '../../contract/document.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { JSON_TYPE, mediaType } from '../../edge/request.js';

/**
 * Returns whether a request certainly meets the contract.
 * @param params the parameters of its address
 * @param query the parameters of its query as strings; on success, converted to the types of the
 *   contract
 */
export type Accepts = (
  request: Request,
  params: Readonly<Record<string, string>>,
  query: Request['query'],
) => boolean;

/**
 * Returns a check that accepts the valid requests to an operation. It only accepts quickly; the
 * full validator confirms each refusal and writes its message. It may therefore be stricter than
 * the validator, but never laxer.
 */
export function fastChecks(contract: Contract): (operation: Operation) => Accepts {
  const asSent = compiler({ useDefaults: true });
  // Query parameters are converted from strings, and a single value of a repeatable one becomes a
  // list.
  const asTexts = compiler({ useDefaults: true, coerceTypes: 'array' });
  return (operation) => {
    const schemas = schemasOf(contract.document, operation);
    const address = asSent.compile(schemas.address);
    const query = asTexts.compile(schemas.query);
    const body = asSent.compile(schemas.body);
    return (request, params, sent) =>
      address({ path: params, header: request.headers }) &&
      // The validator treats an empty string as a missing parameter.
      !Object.values(sent).includes('') &&
      query({ query: sent }) &&
      (isDeferred(operation, request) || body({ body: request.body }));
  };
}

export type SchemaCheck = (value: unknown) => boolean;

/** Returns a function that compiles each schema of the contract once. */
export function schemaChecks({ document }: Contract): (schema: unknown) => SchemaCheck {
  const ajv = compiler({});
  const checks = new Map<unknown, SchemaCheck>();
  return (schema) => {
    const known = checks.get(schema);
    if (known) return known;
    const compiled = ajv.compile(withComponents(document, { value: schema }));
    const check: SchemaCheck = (value) => compiled({ value });
    checks.set(schema, check);
    return check;
  };
}

export function compiler(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...options, strict: false, validateSchema: false, meta: false });
  addFormats.default(ajv, { mode: 'full' });
  return ajv;
}

/** Returns whether the body cannot be checked yet: it is a stream, or there is none. */
function isDeferred({ consumes, defersBody }: Operation, request: Request): boolean {
  return consumes.length === 0 || defersBody || mediaType(request) !== JSON_TYPE;
}

function schemasOf(document: Document, { parameters, bodySchema = {} }: Operation) {
  const path = parameterSchema(parameters, 'path');
  const header = parameterSchema(parameters, 'header');
  const query = { ...parameterSchema(parameters, 'query'), additionalProperties: false };
  return {
    address: withComponents(document, { path, header }),
    query: withComponents(document, { query }),
    body: withComponents(document, { body: bodySchema }),
  };
}

/** Returns the schema of an object with these properties, and the components that they reference. */
export function withComponents({ components }: Document, properties: JsonRecord): JsonRecord {
  return { properties, components: referencedComponents(properties, components) };
}

/** Returns the components that a part of the document references, directly or indirectly. */
export function referencedComponents(part: unknown, components: Document['components']): object {
  const kept: Record<string, Record<string, unknown>> = {};
  const visit = (node: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(REFERENCE)) {
      const component = asRecord(components[kind])[name];
      if (component === undefined || kept[kind]?.[name] !== undefined) continue;
      kept[kind] = { ...kept[kind], [name]: component };
      visit(component);
    }
  };
  visit(part);
  return kept;
}

const REFERENCE = /"\$ref":"#\/components\/(\w+)\/([\w.-]+)"/g;

/** @param place the value of `in` */
export function parameterSchema(parameters: readonly JsonRecord[], place: string): JsonRecord {
  const placed = parameters
    .filter((parameter) => parameter['in'] === place)
    .map(({ name, required, schema }) => ({ name: nameIn(place, name), required, schema }));
  return {
    type: 'object',
    properties: Object.fromEntries(placed.map(({ name, schema }) => [name, schema])),
    required: placed.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** Node lower-cases header names. */
function nameIn(place: string, name: unknown): string {
  return place === 'header' ? String(name).toLowerCase() : String(name);
}
