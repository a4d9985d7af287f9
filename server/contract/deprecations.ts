import { valueAt } from './json-pointer.js';
import { asRecord, type JsonRecord } from './json-record.js';
import { type Sunset, sunsetOf } from './sunset.js';

/** The deprecated parts of an operation's requests. */
export interface Deprecations {
  /** The dates of the operation itself. */
  readonly operation: Sunset | undefined;
  /** The dates of query parameters, by name. */
  readonly query: ReadonlyMap<string, Sunset>;
  /** The dates of headers, by name in lower case. */
  readonly headers: ReadonlyMap<string, Sunset>;
  /** The dates of fields of the body, by the steps from the body to the field. */
  readonly fields: readonly { readonly path: readonly string[]; readonly sunset: Sunset }[];
  /** The dates of prefixes of the address, such as `/api`: the servers of its path item. */
  readonly prefixes: ReadonlyMap<string, Sunset>;
}

/**
 * Returns the deprecated parts of an operation's requests.
 * @param servers of the path item
 * @param parameters without references
 */
export function deprecationsOf(
  document: unknown,
  {
    definition,
    servers,
    parameters,
    bodySchema,
  }: {
    readonly definition: unknown;
    readonly servers: unknown;
    readonly parameters: readonly JsonRecord[];
    readonly bodySchema: unknown;
  },
): Deprecations {
  const named = (where: string) => parameters.filter((parameter) => parameter['in'] === where);
  return {
    operation: sunsetOf(definition),
    query: byKey(named('query'), ({ name }) => String(name)),
    headers: byKey(named('header'), ({ name }) => String(name).toLowerCase()),
    fields: deprecatedFields(document, bodySchema).flatMap(({ path, schema }) => {
      const sunset = sunsetOf(schema);
      return sunset ? [{ path, sunset }] : [];
    }),
    prefixes: byKey(recordsOf(servers), ({ url }) => String(url).replace(/\/$/, '')),
  };
}

function byKey(parts: readonly JsonRecord[], keyOf: (part: JsonRecord) => string) {
  const dates = new Map<string, Sunset>();
  for (const part of parts) {
    const sunset = sunsetOf(part);
    if (sunset) dates.set(keyOf(part), sunset);
  }
  return dates;
}

/** A deprecated field of a body: the steps to it, and its schema. */
export interface DeprecatedField {
  readonly path: readonly string[];
  readonly schema: JsonRecord;
}

/**
 * Returns the deprecated fields of a body: those of objects, however deep. Elements of arrays and fields that
 * depend on a condition are left out.
 */
export function deprecatedFields(document: unknown, body: unknown): DeprecatedField[] {
  const found: DeprecatedField[] = [];
  const open = new Set<unknown>();
  const visit = (given: unknown, path: readonly string[]): void => {
    const schema = resolved(document, given);
    if (open.has(schema)) return;
    open.add(schema);
    if (schema['deprecated'] === true && path.length > 0) found.push({ path, schema });
    for (const [name, field] of Object.entries(asRecord(schema['properties']))) {
      visit(field, [...path, name]);
    }
    for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
      for (const branch of recordsOf(schema[keyword])) visit(branch, path);
    }
    open.delete(schema);
  };
  visit(body, []);
  return found;
}

function resolved(document: unknown, part: unknown): JsonRecord {
  const { $ref } = asRecord(part);
  return typeof $ref === 'string'
    ? resolved(document, valueAt(document, $ref.slice(1)))
    : asRecord(part);
}

function recordsOf(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
