import { asRecord, type JsonRecord } from '../../contract/json-record.js';

/** The schemas of a contract, by their names. */
type Schemas = Map<string, unknown>;

/** Operations that other libraries call: hosts of MCP, clients of OpenAI's API, and pages of the browser. */
const CALLED_BY_OTHERS = /^\/(mcp|v1|oauth|\.well-known)\b/;

/**
 * Returns the contract in the form from which Redocly makes Python. Its generator types named objects alone, and
 * those that may also be null or a text as `Any`; so each object with properties becomes a schema with its own name,
 * and one of several where it may be something else. The generator omits the body of requests whose answer is a stream
 * of events, so these operations are left out.
 */
export function pythonContract(document: JsonRecord): JsonRecord {
  const components = asRecord(document['components']);
  const schemas: Schemas = new Map(Object.entries(asRecord(components['schemas'])));
  for (const [name, schema] of [...schemas]) schemas.set(name, nameObjects(schema, name, schemas));
  return {
    ...document,
    paths: mapRecord(document['paths'], callableOperations),
    components: { ...components, schemas: Object.fromEntries(schemas) },
  };
}

function callableOperations(item: unknown, path: string): JsonRecord {
  const operations = Object.entries(CALLED_BY_OTHERS.test(path) ? {} : asRecord(item));
  return Object.fromEntries(operations.filter(([, operation]) => !isStreamed(operation)));
}

function isStreamed(operation: unknown): boolean {
  const { content } = asRecord(asRecord(asRecord(operation)['responses'])['200']);
  return 'text/event-stream' in asRecord(content);
}

/**
 * Returns a schema in which other objects are references to schemas with their own names.
 * @param name of the schema, with which the new names begin
 * @param schemas takes the objects
 */
function nameObjects(schema: unknown, name: string, schemas: Schemas): unknown {
  if (Array.isArray(schema)) {
    return schema.map((member, index) => referTo(member, `${name}${index + 1}`, schemas));
  }
  const record = asRecord(schema);
  if (record !== schema) return schema;
  const named = mapRecord(record, (value, key) => {
    if (key === 'properties') {
      return mapRecord(value, (property, of) => referTo(property, name + pascalCase(of), schemas));
    }
    if (key === 'oneOf' || key === 'anyOf') return nameObjects(value, name, schemas);
    // Beside properties, it holds conditions, of which a type says nothing.
    if (key === 'allOf' && 'properties' in record) return undefined;
    return key === 'items' ? referTo(value, `${name}Item`, schemas) : value;
  });
  return schemas.get(name) === schema && otherTypes(record).length > 0
    ? toReference(named, `${name}Object`, schemas)
    : named;
}

/** Returns a schema inside another one; an object becomes a reference. */
function referTo(schema: unknown, name: string, schemas: Schemas): unknown {
  const named = nameObjects(schema, name, schemas);
  return 'properties' in asRecord(named) ? toReference(asRecord(named), name, schemas) : named;
}

/** Keeps an object under its name, or one that is free, and returns what refers to it. */
function toReference(object: JsonRecord, name: string, schemas: Schemas): JsonRecord {
  if (!('properties' in object)) return object;
  if (schemas.has(name)) return toReference(object, `${name}Object`, schemas);
  schemas.set(name, { ...object, type: 'object' });
  const reference = { $ref: `#/components/schemas/${name}` };
  const others = otherTypes(object).map((type) => ({ type }));
  return others.length > 0 ? { oneOf: [...others, reference] } : reference;
}

/** Returns the types other than object that a schema allows, such as null. */
function otherTypes({ type }: JsonRecord): unknown[] {
  return Array.isArray(type) ? type.filter((each) => each !== 'object') : [];
}

function pascalCase(key: string): string {
  return key.replace(/(?:^|[^A-Za-z0-9])+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

function mapRecord(record: unknown, map: (value: unknown, key: string) => unknown): JsonRecord {
  const entries = Object.entries(asRecord(record));
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)]));
}
