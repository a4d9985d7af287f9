import { Ajv2020, type Options } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Request } from 'express';
import type { Contract, Document, Operation } from '../../contract/document.js';
import { asRecord, type JsonRecord } from '../../contract/json-record.js';
import { JSON_TYPE, mediaType } from '../../http/media-type.js';

export function compiler(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...options, strict: false, validateSchema: false, meta: false });
  addFormats.default(ajv, { mode: 'full' });
  return ajv;
}

/** Returns a function that compiles each schema of the contract once, into a check of values. */
export function schemaCheck(contract: Contract): (schema: unknown) => (value: unknown) => boolean {
  const ajv = compiler({});
  const checks = new Map<unknown, (value: unknown) => boolean>();
  return (schema) => {
    const known = checks.get(schema);
    if (known) return known;
    const compiled = ajv.compile(withComponents(contract.document, { value: schema }));
    const check = (value: unknown) => compiled({ value });
    checks.set(schema, check);
    return check;
  };
}

/** Returns the schemas of the parts of a request: `{path, header}`, `{query}` and `{body}`. */
export function requestSchemas(document: Document, operation: Operation) {
  const { parameters, bodySchema = {} } = operation;
  const path = parameterSchema(parameters, 'path');
  const header = parameterSchema(parameters, 'header');
  const query = { ...parameterSchema(parameters, 'query'), additionalProperties: false };
  return {
    address: withComponents(document, { path, header }),
    query: withComponents(document, { query }),
    body: withComponents(document, { body: bodySchema }),
  };
}

function withComponents({ components }: Document, properties: JsonRecord): JsonRecord {
  return { properties, components: referredTo(properties, components) };
}

function parameterSchema(parameters: readonly JsonRecord[], place: string): JsonRecord {
  const placed = parameters
    .filter((parameter) => parameter['in'] === place)
    .map(({ name, required, schema }) => ({ name: nameIn(place, name), required, schema }));
  return {
    properties: Object.fromEntries(placed.map(({ name, schema }) => [name, schema])),
    required: placed.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** Node lower-cases header names. */
function nameIn(place: string, name: unknown): string {
  return place === 'header' ? String(name).toLowerCase() : String(name);
}

/** Returns whether the body cannot be checked yet: it is a stream, or there is none. */
export function isBodyDeferred({ consumes, defersBody }: Operation, request: Request): boolean {
  return consumes.length === 0 || defersBody || mediaType(request) !== JSON_TYPE;
}

/** Returns the components that a part of the document references, directly or indirectly. */
function referredTo(part: unknown, components: Document['components']): object {
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
