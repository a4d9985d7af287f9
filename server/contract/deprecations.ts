import * as v from 'valibot';
import { resolveReference } from './json-pointer.js';
import { asRecord, type JsonRecord } from './json-record.js';

const date = v.pipe(
  v.string('must be a date in quotes'),
  v.check(isDate, 'must be a date, such as 2027-11-23'),
);

/** The shape of `x-roster-sunset`, which says how long something deprecated works. */
export const sunsetShape = v.pipe(
  v.strictObject({ deprecated: date, sunset: date }),
  v.check(({ deprecated, sunset }) => deprecated < sunset, 'sunset must be later than deprecated'),
);

/** The dates of something deprecated, as in the contract: `2026-11-23`. */
export type Sunset = v.InferOutput<typeof sunsetShape>;

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** Returns how long a part of the contract works; undefined if it says nothing of it. */
function readSunset(part: unknown): Sunset | undefined {
  const { 'x-roster-sunset': sunset } = asRecord(part);
  return v.is(sunsetShape, sunset) ? sunset : undefined;
}

/** The deprecated parts of an operation's requests. */
export interface Deprecations {
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
export function findDeprecations(
  document: unknown,
  definition: unknown,
  servers: unknown,
  parameters: readonly JsonRecord[],
  bodySchema: unknown,
): Deprecations {
  const named = (where: string) => parameters.filter((parameter) => parameter['in'] === where);
  return {
    operation: readSunset(definition),
    query: sunsetsByKey(named('query'), ({ name }) => String(name)),
    headers: sunsetsByKey(named('header'), ({ name }) => String(name).toLowerCase()),
    fields: deprecatedFields(document, bodySchema).flatMap(({ path, schema }) => {
      const sunset = readSunset(schema);
      return sunset ? [{ path, sunset }] : [];
    }),
    prefixes: sunsetsByKey(asRecords(servers), ({ url }) => String(url).replace(/\/$/, '')),
  };
}

function sunsetsByKey(parts: readonly JsonRecord[], readKey: (part: JsonRecord) => string) {
  const dates = new Map<string, Sunset>();
  for (const part of parts) {
    const sunset = readSunset(part);
    if (sunset) dates.set(readKey(part), sunset);
  }
  return dates;
}

interface DeprecatedField {
  /** The steps from the body to the field. */
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
    const schema = resolveReference(document, given);
    if (open.has(schema)) return;
    open.add(schema);
    if (schema['deprecated'] === true && path.length > 0) found.push({ path, schema });
    for (const [name, field] of Object.entries(asRecord(schema['properties']))) {
      visit(field, [...path, name]);
    }
    for (const keyword of ['allOf', 'oneOf', 'anyOf']) {
      for (const branch of asRecords(schema[keyword])) visit(branch, path);
    }
    open.delete(schema);
  };
  visit(body, []);
  return found;
}

function asRecords(value: unknown): JsonRecord[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
