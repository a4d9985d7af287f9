/** Requests without access, or to an address or method that does not exist. */
import { METHODS } from 'node:http';
import { operationsAt } from '../../../testkit/openapi/operation-at.js';
import { type KeyName, PLACEHOLDERS, targetOf, withParameter } from '../case.js';
import { kindsWithin } from '../kinds.js';
import { methodsOf, pathParametersOf } from '../operations.js';
import { SOME_ID } from '../valid-cases.js';
import { KEPT } from '../values/edge-values.js';
import { isValid } from '../values/schema.js';
import { at, type FaultMaker, valid } from './faults.js';

const SCOPES = ['read', 'write', 'predict', 'ask', 'operate'] as const;

/**
 * An invalid key, or one without the scope. An operation that requires no scope accepts any
 * valid key, and one that is open to everyone any key.
 */
export const wrongKeys: FaultMaker = (made) => {
  const { isOpen, scope } = targetOf(made);
  const withKey = (key: KeyName) => ({ ...made, key });
  if (isOpen) return (['none', 'unknown'] as const).map((key) => valid(withKey(key)));
  const others = SCOPES.filter((other) => other !== scope).map(withKey);
  return [
    at(withKey('none'), 'no key', [401]),
    at(withKey('unknown'), 'an unknown key', [401]),
    at(withKey('revoked'), 'a revoked key', [401]),
    at(withKey('malformed'), 'a malformed key', [401]),
    ...others.map((other) =>
      scope === undefined ? valid(other) : at(other, 'another scope', [403]),
    ),
  ];
};

/** Resources of another owner or project, which do not exist for the caller. */
export const foreignResources: FaultMaker = (made) => {
  const target = targetOf(made);
  const kinds = kindsWithin(target);
  // A version is not a resource of its own.
  const [project, ...further] = pathParametersOf(target).filter((_, at) => kinds[at] !== undefined);
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
      at(
        withParameter(elsewhere, { name: resource, in: 'path' }, name),
        "another project's",
        [404],
      ),
    ),
  ];
};

/** All methods but CONNECT, which has no address and its own answer in HTTP (RFC 9110, section 9.3.6). */
const ASKED = METHODS.filter((method) => method !== 'CONNECT');

/** A method that the address does not have. */
export const otherMethods: FaultMaker = (made) => {
  const declared = methodsOf(targetOf(made).path);
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
  const { path } = targetOf(made);
  return ['/colour', '/colour/', '//', '.json', ';a=b']
    .filter((suffix) => operationsAt(path + suffix).length === 0)
    .map((suffix) => at({ ...made, suffix }, 'another address', [404]));
};
