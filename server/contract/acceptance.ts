import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Request } from 'express';
import type { Contract, Document, Operation } from './document.js';
import { JSON_TYPE, mediaType } from './media-type.js';
import { dereferenced } from './operation.js';
import { asRecord, type JsonRecord } from './record.js';
import { referredTo } from './requests-only.js';

/**
 * Whether a request is surely as the contract wants it.
 * @param params the parameters of its address
 * @param query those of its query, as texts; where it accepts them, they are of the types of the contract after it
 */
export type Accepts = (
  request: Request,
  params: Readonly<Record<string, string>>,
  query: Request['query'],
) => boolean;

/**
 * Makes, for each operation, what accepts its requests. It is compiled for a yes alone, at the first request; a no
 * is for the validator to confirm and to word. So it may be stricter than the validator, but never laxer.
 */
export function acceptance(contract: Contract): (operation: Operation) => Accepts {
  const settings = {
    strict: false,
    validateSchema: false,
    meta: false,
    useDefaults: true,
  } as const;
  const asSent = new Ajv2020(settings);
  // The types of a query's parameters are read out of their texts, and one that may be repeated is a list of one.
  const asTexts = new Ajv2020({ ...settings, coerceTypes: 'array' });
  for (const ajv of [asSent, asTexts]) addFormats.default(ajv, { mode: 'full' });
  return (operation) => {
    const schemas = schemasOf(contract.document, operation);
    const address = compiledWhenNeeded(asSent, schemas.address);
    const query = compiledWhenNeeded(asTexts, schemas.query);
    const body = compiledWhenNeeded(asSent, schemas.body);
    return (request, params, sent) =>
      address({ path: params, header: request.headers }) &&
      isPlain(sent) &&
      query({ query: sent }) &&
      (isReadLater(operation, request) || body({ body: request.body }));
  };
}

function compiledWhenNeeded(ajv: Ajv2020, schema: JsonRecord): (parts: object) => boolean {
  let validate: ((parts: object) => boolean) | undefined;
  return (parts) => {
    validate ??= ajv.compile(schema);
    return validate(parts);
  };
}

/** Whether the values of a query are what they look like: the validator reads more into some. */
function isPlain(query: Request['query']): boolean {
  for (const name in query) {
    if (name.includes('[') || query[name] === '') return false;
  }
  return true;
}

/** Whether the body is not there yet: it is a stream, or none. */
function isReadLater({ consumes, readsLater }: Operation, request: Request): boolean {
  return consumes.length === 0 || readsLater || mediaType(request) !== JSON_TYPE;
}

function schemasOf(document: Document, operation: Operation) {
  const parameters = parametersOf(document, operation);
  const path = parameterSchema(parameters, 'path');
  const header = parameterSchema(parameters, 'header');
  const query = { ...parameterSchema(parameters, 'query'), additionalProperties: false };
  return {
    address: withComponents(document, { path, header }),
    query: withComponents(document, { query }),
    body: withComponents(document, { body: operation.bodySchema ?? {} }),
  };
}

function withComponents({ components }: Document, properties: JsonRecord): JsonRecord {
  return { properties, components: referredTo(properties, components) };
}

/** The parameters of an operation, with those that it shares with the others of its address. */
function parametersOf(document: Document, { path, method }: Operation): JsonRecord[] {
  const item = asRecord(document.paths[path]);
  return [item, asRecord(item[method])]
    .flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []))
    .map((parameter) => dereferenced(document, asRecord(parameter)));
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

/** Node knows headers in lower case. */
function nameIn(place: string, name: unknown): string {
  return place === 'header' ? String(name).toLowerCase() : String(name);
}
