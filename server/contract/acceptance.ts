import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Contract, Document, Operation } from './document.js';
import { valueAt } from './json-pointer.js';
import { asRecord, type JsonRecord } from './record.js';
import { referredTo } from './requests-only.js';

/** What of a request the contract speaks of; parameters have the place that they have in it. */
export interface RequestParts {
  readonly path: Readonly<Record<string, unknown>>;
  /** By their names in lower case. */
  readonly header: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Whether a request is surely as the contract wants it. */
export type Accepts = (request: RequestParts) => boolean;

/**
 * Makes, for each operation, what accepts its requests. It is compiled for a yes alone, at the first request; a no
 * is for the validator to confirm and to word. So it may be stricter than the validator, but never laxer. It
 * takes the parts of a request for what they are: the texts of a query that mean numbers, it does not accept.
 */
export function acceptance(contract: Contract): (operation: Operation) => Accepts {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, useDefaults: true });
  addFormats.default(ajv, { mode: 'full' });
  return (operation) => {
    let accepts: Accepts | undefined;
    return (request) => {
      accepts ??= ajv.compile(schemaOf(contract.document, operation));
      return accepts(request);
    };
  };
}

function schemaOf(document: Document, operation: Operation): JsonRecord {
  const { bodySchema = {} } = operation;
  const parameters = parametersOf(document, operation);
  const properties = {
    path: parameterSchema(parameters, 'path'),
    query: { ...parameterSchema(parameters, 'query'), additionalProperties: false },
    header: parameterSchema(parameters, 'header'),
    body: bodySchema,
  };
  return { properties, components: referredTo(properties, document.components) };
}

/** The parameters of an operation, with those that it shares with the others of its address. */
function parametersOf(document: Document, { path, method }: Operation): JsonRecord[] {
  const item = asRecord(document.paths[path]);
  return [item, asRecord(item[method])]
    .flatMap(({ parameters }) => (Array.isArray(parameters) ? parameters : []))
    .map((parameter) => dereferenced(document, asRecord(parameter)));
}

function dereferenced(document: Document, part: JsonRecord): JsonRecord {
  const { $ref } = part;
  return typeof $ref === 'string' ? asRecord(valueAt(document, $ref.slice(1))) : part;
}

function parameterSchema(parameters: readonly JsonRecord[], place: keyof RequestParts): JsonRecord {
  const placed = parameters
    .filter((parameter) => parameter['in'] === place)
    .map(({ name, required, schema }) => ({ name: nameIn(place, name), required, schema }));
  return {
    properties: Object.fromEntries(placed.map(({ name, schema }) => [name, schema])),
    required: placed.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

/** Node knows headers in lower case. */
function nameIn(place: keyof RequestParts, name: unknown): string {
  return place === 'header' ? String(name).toLowerCase() : String(name);
}
