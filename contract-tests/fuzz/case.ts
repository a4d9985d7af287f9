import { asRecord } from '../../contract/json-record.js';
import { simplest } from '../../testkit/openapi/schema.js';
import type { HttpRequest } from './http.js';
import { type Parameter, type Target, targetNamed } from './operations.js';
import { keptTable, TARGET } from './values/tables.js';

export interface Sent {
  name: string;
  in: string;
  /** A text, a number, or an array of texts. In a path it may be one of the placeholders below. */
  value: unknown;
}

/** Placeholders in an address for names that are known only when the request is sent. */
export const PLACEHOLDERS = {
  project: '{the project}',
  other: '{another project}',
  spare: '{one of its own}',
  keptId: '{the identifier of the one that is kept}',
} as const;

/** The number in the address of a version that every model has. */
export const FIRST_VERSION = '1';

/** The caller who sends a request. */
export type KeyName =
  | 'own'
  | 'read'
  | 'write'
  | 'predict'
  | 'ask'
  | 'operate'
  | 'keys'
  | 'stranger'
  | 'revoked'
  | 'none'
  | 'unknown'
  | 'malformed';

/** The fault of a request, and the expected answer. */
export interface Expected {
  what: string;
  statuses: readonly number[];
  /** The place that the answer must point at; a parent of it is accepted too. */
  pointer?: string;
}

/** The body of a request. */
export interface Body {
  mediaType: string;
  bytes: Buffer;
  /** The value that the bytes encode, if they are JSON. */
  value: unknown;
  /** True if the body is usable as far as a schema cannot tell. */
  isUsable: boolean;
}

/** A request without the names and identifiers of a run, which are filled in when it is sent. */
export interface Case {
  operationId: string;
  method: string;
  /** The texts before and after the address of the contract. */
  prefix: string;
  suffix: string;
  parameters: readonly Sent[];
  headers: Readonly<Record<string, string>>;
  body: Body | undefined;
  key: KeyName;
  /** The fault of the request; undefined if it is valid. */
  fault?: Expected;
}

export function findTarget({ operationId }: Case): Target {
  return targetNamed(operationId);
}

/** Returns the value of a parameter; undefined if it is not sent. */
export function sentValue({ parameters }: Case, where: string, name: string): unknown {
  return parameters.find((sent) => sent.in === where && sent.name === name)?.value;
}

/** Returns the case with another value of a parameter. */
export function withParameter(made: Case, { name, in: where }: Pick<Parameter, 'name' | 'in'>, value: unknown): Case {
  const others = made.parameters.filter((sent) => sent.name !== name || sent.in !== where);
  return { ...made, parameters: [...others, { name, in: where, value }] };
}

export function jsonBody(value: unknown, isUsable = true): Body {
  const bytes = Buffer.from(JSON.stringify(value));
  return { mediaType: 'application/json', bytes, value, isUsable };
}

export function rawBody(mediaType: string, content: Buffer | string, isUsable = true): Body {
  return { mediaType, bytes: Buffer.from(content), value: undefined, isUsable };
}

/** The names and the key that complete a case. */
export interface Filled {
  /** The parameters of its address, by name. */
  path: Readonly<Record<string, string>>;
  /** True if every resource in the address exists. */
  isThere: boolean;
  /** True if the first resource in the address, the project, exists. */
  isProjectThere: boolean;
  authorization: string | undefined;
}

export function writeRequest(made: Case, { path, authorization }: Pick<Filled, 'path' | 'authorization'>): HttpRequest {
  const target = findTarget(made);
  const address = target.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  const query = made.parameters
    .filter((sent) => sent.in === 'query')
    .flatMap(({ name, value }) =>
      [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`),
    );
  const headers = target.parameters
    .filter(({ in: where }) => where === 'header')
    .flatMap(({ name }) => {
      const value = sentValue(made, 'header', name);
      return value === undefined ? [] : [[name, String(value)] as const];
    });
  const { body } = made;
  return {
    method: made.method,
    path: made.prefix + address + made.suffix + (query.length > 0 ? `?${query.join('&')}` : ''),
    headers: {
      ...made.headers,
      ...Object.fromEntries(headers),
      ...(authorization === undefined ? {} : { Authorization: authorization }),
      ...(body === undefined || body.mediaType === '' ? {} : { 'Content-Type': body.mediaType }),
    },
    body: body?.bytes,
  };
}

/** Returns the Authorization header alone. */
export function onlyKey(headers: Readonly<Record<string, string>>): Record<string, string> {
  const { Authorization } = headers;
  return Authorization === undefined ? {} : { Authorization };
}

/** The media types of bodies that are sent as text. */
const TEXT = /^text\//;

/**
 * Returns the simplest valid request to an operation, with the given body and further parameters; a string is a CSV
 * table or a text.
 */
export function simpleCase(target: Target, value: unknown, more: readonly Sent[] = []): Case {
  const textType = target.bodies.map(([mediaType]) => mediaType).find((type) => TEXT.test(type));
  const body = typeof value === 'string' && textType !== undefined ? rawBody(textType, value) : jsonBody(value ?? {});
  const query = target.parameters
    .filter(({ in: where, required }) => where === 'query' && required)
    .map(({ name }) => ({ name, in: 'query', value: TARGET }));
  return {
    operationId: target.id,
    method: target.method,
    prefix: '',
    suffix: '',
    parameters: [...query, ...more],
    headers: {},
    body: target.bodies.length === 0 ? undefined : body,
    key: 'own',
  };
}

/** The fields with which a kind keeps documents, which its simplest form does not. */
const FIELDS: Readonly<Record<string, object>> = { skill: { type: 'knowledge_base' } };

/** Returns the simplest body that creates a resource with a name; a table if the operation takes one. */
export function bodyNamed({ bodies }: Target, name: string): unknown {
  if (bodies.some(([mediaType]) => mediaType === 'text/csv')) return keptTable;
  const schema = bodies[0]?.[1];
  if (schema === undefined) return undefined;
  const least = simplest(schema);
  if (typeof least === 'string') return least;
  return Object.fromEntries(
    Object.entries(asRecord(least)).map(([wrapper, fields]) => [
      wrapper,
      { ...asRecord(fields), ...(wrapper !== 'conversation' && { name }), ...FIELDS[wrapper] },
    ]),
  );
}
