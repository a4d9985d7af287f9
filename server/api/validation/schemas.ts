import { Ajv2020, type Options, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Contract, Document, Operation } from '../../../contract/document.js';
import { asRecord, type JsonRecord } from '../../../contract/json-record.js';
import { listParts, type Part } from '../../../contract/parts.js';
import { resolve, splitPointer } from '../../../contract/pointer.js';

/** The checks of the parts of a request, each of an object with these members. */
export interface RequestChecks {
  /** `path`, the parameters of the address, and `header`. */
  readonly address: ValidateFunction;
  /** `query`, as texts; converts them to the types of the contract. */
  readonly query: ValidateFunction;
  readonly body: ValidateFunction;
  /** The parameters of the query of which an empty text is a value. */
  readonly mayBeEmpty: ReadonlySet<string>;
}

/** Returns a function that compiles the checks of the requests to an operation. */
export function requestChecks({ document }: Contract): (operation: Operation) => RequestChecks {
  const asSent = createAjv({ useDefaults: true });
  // Query parameters are converted from strings, and a single value of a repeatable one becomes a list.
  const asTexts = createAjv({ useDefaults: true, coerceTypes: 'array' });
  return ({ parameters, bodySchema = {} }) => {
    const path = parameterSchema(parameters, 'path');
    const header = parameterSchema(parameters, 'header');
    const query = { ...parameterSchema(parameters, 'query'), additionalProperties: false };
    return {
      address: asSent.compile(withComponents(document, { path, header })),
      query: asTexts.compile(withComponents(document, { query })),
      body: asSent.compile(withComponents(document, { body: bodySchema })),
      mayBeEmpty: new Set(parameters.filter((one) => takesEmptyText(document, one)).map(({ name }) => String(name))),
    };
  };
}

/** Returns whether an empty text is a value of a parameter: a list may have one, where its items have no least length. */
export function takesEmptyText(document: Document, { schema }: JsonRecord): boolean {
  const { type, items } = resolve(document, schema);
  const item = resolve(document, items);
  return type === 'array' && item['type'] === 'string' && item['minLength'] === undefined && item['enum'] === undefined;
}

export function createAjv(options: Options): Ajv2020 {
  const ajv = new Ajv2020({ ...options, strict: false, validateSchema: false, meta: false });
  addFormats.default(ajv, { mode: 'full' });
  return ajv;
}

/** Returns the schema of an object with these properties, and the components that they reference. */
export function withComponents(document: Document, properties: JsonRecord): JsonRecord {
  const schema = { properties };
  const components = referencedComponents(document, { kind: 'schema', pointer: '', value: schema });
  return asRecord(withItemsInPlace(document, { ...schema, components }));
}

/**
 * Returns a copy of a part in which lists without repeats have the schema of their items in place of a reference. Ajv
 * does not look behind a reference, and compares all pairs of items whose type it does not see: seconds for the lists of
 * one manifest.
 */
export function withItemsInPlace(document: Document, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((each) => withItemsInPlace(document, each));
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([name, each]) => [name, withItemsInPlace(document, each)]));
  const { uniqueItems, items } = asRecord(part);
  return uniqueItems === true ? { ...copy, items: resolve(document, items) } : copy;
}

/** Returns the components that a part references, directly or indirectly. */
export function referencedComponents(document: Document, part: Part): object {
  const kept: Record<string, Record<string, unknown>> = {};
  for (const { pointer } of listParts(document, { roots: [part], followsReferences: true })) {
    const [section, kind = '', name = ''] = splitPointer(pointer);
    if (section !== 'components' || kept[kind]?.[name] !== undefined) continue;
    kept[kind] = { ...kept[kind], [name]: asRecord(document.components[kind])[name] };
  }
  return kept;
}

/** @param place the value of `in` */
export function parameterSchema(parameters: readonly JsonRecord[], place: string): JsonRecord {
  const properties: Record<string, unknown> = {};
  const required: string[] = [];
  for (const parameter of parameters) {
    if (parameter['in'] !== place) continue;
    // Node lower-cases header names.
    const sent = String(parameter['name']);
    const name = place === 'header' ? sent.toLowerCase() : sent;
    properties[name] = parameter['schema'];
    if (parameter['required'] === true) required.push(name);
  }
  return { type: 'object', properties, required };
}
