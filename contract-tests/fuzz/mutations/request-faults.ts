/** Requests with a fault that no schema has: in their access, their address or method, or the form of their body. */
import { METHODS } from 'node:http';
import { parseJson } from '../../../contract/json-record.js';
import type { Place } from '../../../testkit/openapi/document.js';
import { operationsAt } from '../../../testkit/openapi/operation-at.js';
import { isValid } from '../../../testkit/openapi/schema.js';
import { type Case, findTarget, type KeyName, PLACEHOLDERS, withParameter } from '../case.js';
import { kindsWithin } from '../kinds.js';
import { listMethods, listPathParameters } from '../operations.js';
import { SOME_ID } from '../valid-cases.js';
import { KEPT } from '../values/edge-values.js';

/** A request with a fault. Mutations of one kind are drawn as often as one of another kind. */
export interface Mutant {
  /** The kind of its fault; empty for a request that is valid in spite of it. */
  readonly kind: string;
  /** Makes the request, which may be large. Returns undefined if the mutation turns out to be impossible. */
  readonly make: () => Case | undefined;
}

/** Returns the mutations that introduce a fault into a request. */
export type FaultMaker = (made: Case) => readonly Mutant[];

/** Returns a request with a fault, and the expected answer. */
export function at(made: Case, what: string, statuses: readonly number[], pointer?: string): Mutant {
  const fault = { what, statuses, ...(pointer === undefined ? {} : { pointer }) };
  return { kind: what, make: () => ({ ...made, fault }) };
}

/** Returns a request that is still valid. */
function valid(made: Case): Mutant {
  return { kind: '', make: () => made };
}

/** Returns the schema of a JSON body; undefined if the case sends none. */
export function findJsonSchema(made: Case): Place | undefined {
  const { body } = made;
  if (body?.mediaType !== 'application/json') return undefined;
  return findTarget(made).bodies.find(([mediaType]) => mediaType === body.mediaType)?.[1];
}

const SCOPES = ['read', 'write', 'predict', 'ask', 'operate', 'keys'] as const;

/**
 * An invalid key, or one without the scope. An operation that requires no scope accepts any
 * valid key, and one that is open to everyone any key.
 */
export const wrongKeys: FaultMaker = (made) => {
  const { isOpen, scopes } = findTarget(made);
  const withKey = (key: KeyName) => ({ ...made, key });
  if (isOpen) return (['none', 'unknown'] as const).map((key) => valid(withKey(key)));
  const others = SCOPES.filter((other) => !scopes.includes(other)).map(withKey);
  return [
    at(withKey('none'), 'no key', [401]),
    at(withKey('unknown'), 'an unknown key', [401]),
    at(withKey('revoked'), 'a revoked key', [401]),
    at(withKey('malformed'), 'a malformed key', [401]),
    ...others.map((other) => (scopes.length === 0 ? valid(other) : at(other, 'another scope', [403]))),
  ];
};

/** Resources of another owner or project, which do not exist for the caller. */
export const foreignResources: FaultMaker = (made) => {
  const target = findTarget(made);
  const kinds = kindsWithin(target);
  // A version is not a separate resource.
  const [project, ...further] = listPathParameters(target).filter((_, at) => kinds[at] !== undefined);
  if (project === undefined) return [];
  const strangers = at({ ...made, key: 'stranger' }, "another owner's", [404]);
  const resource = further.at(-1);
  if (resource === undefined || made.method === 'PUT') return [strangers];
  const elsewhere = withParameter(made, { name: project, in: 'path' }, PLACEHOLDERS.other);
  const schema = target.parameters.find(({ name }) => name === resource)?.schema;
  const mayBeId = schema !== undefined && isValid(schema, SOME_ID);
  const names = [...(mayBeId ? [PLACEHOLDERS.keptId] : []), KEPT];
  return [
    strangers,
    ...names.map((name) =>
      at(withParameter(elsewhere, { name: resource, in: 'path' }, name), "another project's", [404]),
    ),
  ];
};

/** All methods but CONNECT, which has no address and its own answer in HTTP (RFC 9110, section 9.3.6). */
const ASKED = METHODS.filter((method) => method !== 'CONNECT');

/** A method that the address does not have. */
export const otherMethods: FaultMaker = (made) => {
  const declared = listMethods(findTarget(made).path);
  const others = ASKED.filter((method) => !declared.includes(method));
  return others.map((method) => at({ ...made, method }, 'another method', [405]));
};

/** HEAD and OPTIONS, which the contract promises in its text. */
export const promisedMethods: FaultMaker = (made) => [
  ...(made.method === 'GET' ? [valid({ ...made, method: 'HEAD' })] : []),
  at({ ...made, method: 'OPTIONS' }, 'OPTIONS', [204]),
];

/** Addresses that are similar to those of the contract. */
export const otherAddresses: FaultMaker = (made) => {
  const { path } = findTarget(made);
  return ['/colour', '/colour/', '//', '.json', ';a=b']
    .filter((suffix) => operationsAt(path + suffix).length === 0)
    .map((suffix) => at({ ...made, suffix }, 'another address', [404]));
};

/** A body that is malformed, of another media type, or missing. */
export const unreadableBodies: FaultMaker = (made) => {
  const { body, headers } = made;
  if (body === undefined) return [];
  const of = (mediaType: string, bytes = body.bytes) => ({ ...made, body: { ...body, mediaType, bytes } });
  const accepted = findTarget(made).bodies.map(([mediaType]) => mediaType);
  const other = [
    ...['', 'text/plain', 'application/xml', 'application/x-www-form-urlencoded', 'json', 'application/jsonp'].filter(
      (mediaType) => !accepted.includes(mediaType),
    ),
    `${body.mediaType}; charset=utf-7`,
  ].map((mediaType) => at(of(mediaType), 'another media type', [415]));
  const packed = { ...made, headers: { ...headers, 'Content-Encoding': 'br' } };
  if (findJsonSchema(made) === undefined) return [...other, at(packed, 'a compressed body', [415])];
  const text = body.bytes.toString();
  const broken = [text.slice(0, -1), `${text}x`, `${text},`, '{', "{'a':1}", '[1,]', '\ufeff{', 'undefined', 'NaN'];
  return [
    ...other,
    at(packed, 'a compressed body', [415]),
    ...broken
      .filter((text) => parseJson(text) === undefined)
      .map((bytes) => at(of(body.mediaType, Buffer.from(bytes)), 'no JSON', [400])),
    at(of(body.mediaType, Buffer.from('"\xff\xfe"', 'latin1')), 'no UTF-8', [400]),
    at(of(body.mediaType, Buffer.alloc(0)), 'an empty body', [400]),
  ];
};

/** A body that exceeds the limits of the contract. */
export const largeBodies: FaultMaker = (made) => {
  const { body } = made;
  const { maxBody } = findTarget(made);
  if (body === undefined || findJsonSchema(made) === undefined) return [];
  const of = (bytes: Buffer) => ({ ...made, body: { ...body, bytes } });
  const deep = Buffer.from('['.repeat(5000) + ']'.repeat(5000));
  const tooDeep = at(of(deep), 'a body too deep', [400], '/body');
  if (maxBody === undefined) return [tooDeep];
  const padding = Buffer.alloc(Math.max(0, maxBody + 1 - body.bytes.length), ' ');
  return [tooDeep, at(of(Buffer.concat([body.bytes, padding])), 'a body too large', [413])];
};

/** An Accept header that excludes every media type of the operation. */
export const unacceptableTypes: FaultMaker = (made) => {
  if (findTarget(made).produces.length === 0) return [];
  const accepts = ['application/xml', 'image/*', 'application/problem+json', '*/*;q=0'];
  return accepts.map((Accept) => at({ ...made, headers: { ...made.headers, Accept } }, 'no acceptable answer', [406]));
};
