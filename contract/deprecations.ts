import * as v from 'valibot';
import { asRecord, type JsonRecord } from './json-record.js';
import { resolve } from './pointer.js';

const date = v.pipe(v.string('must be a date in quotes'), v.check(isDate, 'must be a date, such as 2027-11-23'));

/** The shape of `x-roster-sunset`, which says how long something deprecated works. */
export const sunsetShape = v.pipe(
  v.strictObject({ deprecated: date, sunset: date }),
  v.check(({ deprecated, sunset }) => deprecated < sunset, 'sunset must be later than deprecated'),
);

/** The dates of something deprecated, as in the contract: `2026-11-23`. */
export type Sunset = v.InferOutput<typeof sunsetShape>;

/** Returns the headers that announce a sunset (RFC 9745, section 2, and RFC 8594, section 3). */
export function sunsetHeaders({ deprecated, sunset }: Sunset): { Deprecation: string; Sunset: string } {
  return { Deprecation: `@${Date.parse(deprecated) / 1000}`, Sunset: new Date(sunset).toUTCString() };
}

function isDate(text: string): boolean {
  const time = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A deprecated part of an operation's requests. */
export interface Deprecation {
  /** `operation`, `query`, `header`, `body`, or `prefix`, which is a server of the path item. */
  readonly in: string;
  /** The steps to the part, such as to a field of the body. Headers are in lower case. */
  readonly path: readonly string[];
  readonly sunset: Sunset;
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
): Deprecation[] {
  const parts = [
    { in: 'operation', path: [], schema: definition },
    ...parameters.map((parameter) => {
      const place = String(parameter['in']);
      const name = String(parameter['name']);
      const path = [place === 'header' ? name.toLowerCase() : name];
      return { in: place, path, schema: parameter };
    }),
    ...deprecatedFields(document, bodySchema).map((field) => ({ in: 'body', ...field })),
    ...asRecords(servers).map((server) => {
      return { in: 'prefix', path: [String(server['url']).replace(/\/$/, '')], schema: server };
    }),
  ];
  return parts.flatMap(({ schema, ...part }) => {
    const { 'x-roster-sunset': sunset } = asRecord(schema);
    return v.is(sunsetShape, sunset) ? [{ ...part, sunset }] : [];
  });
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
    const schema = resolve(document, given);
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
