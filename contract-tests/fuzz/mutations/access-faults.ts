/** Requests without access, or to an address or method that does not exist. */
import { METHODS } from 'node:http';
import { type Case, type KeyName, PLACEHOLDERS, targetOf, withParameter } from '../case.js';
import { kindsWithin } from '../kinds.js';
import { methodsOf, pathParametersOf, type Target, targets } from '../operations.js';
import { SOME_ID } from '../valid-cases.js';
import { KEPT } from '../values/edge-values.js';
import { isValid } from '../values/schema.js';
import { certain, type FaultMaker } from './faults.js';

const SCOPES = ['read', 'write', 'predict', 'ask', 'operate'] as const;

/**
 * An invalid key, or one without the scope. An operation that requires no scope accepts any
 * valid key, and one that is open to everyone any key.
 */
export const wrongKeys: FaultMaker = (made) => {
  const { isOpen, scope } = targetOf(made);
  const withKey = (key: KeyName, what: string, status: number) => ({
    ...made,
    key,
    fault: { what, statuses: [status] },
  });
  if (isOpen) return certain((['none', 'unknown'] as const).map((key) => ({ ...made, key })));
  const others = SCOPES.filter((other) => other !== scope);
  return certain([
    withKey('none', 'no key', 401),
    withKey('unknown', 'an unknown key', 401),
    withKey('revoked', 'a revoked key', 401),
    withKey('malformed', 'a malformed key', 401),
    ...(scope === undefined
      ? others.map((key) => ({ ...made, key }))
      : others.map((key) => withKey(key, 'another scope', 403))),
  ]);
};

/** Resources of another owner or project, which do not exist for the caller. */
export const foreignResources: FaultMaker = (made) => {
  const target = targetOf(made);
  const kinds = kindsWithin(target);
  // A version is not a resource of its own.
  const [project, ...further] = pathParametersOf(target).filter((_, at) => kinds[at] !== undefined);
  if (project === undefined) return [];
  const fault = { what: "another owner's", statuses: [404] };
  const strangers: Case = { ...made, key: 'stranger', fault };
  const resource = further.at(-1);
  if (resource === undefined || made.method === 'PUT') return certain([strangers]);
  const elsewhere = withParameter(made, { name: project, in: 'path' }, PLACEHOLDERS.other);
  const ofOther = { what: "another project's", statuses: [404] };
  return certain([
    strangers,
    ...[...(mayBeId(target, resource) ? [PLACEHOLDERS.keptId] : []), KEPT].map((name) => ({
      ...withParameter(elsewhere, { name: resource, in: 'path' }, name),
      fault: ofOther,
    })),
  ]);
};

/** Returns whether an identifier is a valid value of a parameter. */
function mayBeId({ parameters }: Target, name: string): boolean {
  const schema = parameters.find((parameter) => parameter.name === name)?.schema;
  return schema !== undefined && isValid(schema, SOME_ID);
}

/** All methods but CONNECT, which has no address and its own answer in HTTP (RFC 9110, section 9.3.6). */
const ASKED = METHODS.filter((method) => method !== 'CONNECT');

/** A method that the address does not have. */
export const otherMethods: FaultMaker = (made) => {
  const declared = methodsOf(targetOf(made).path);
  const others = ASKED.filter((method) => !declared.includes(method));
  const fault = { what: 'another method', statuses: [405] };
  return certain(others.map((method) => ({ ...made, method, fault })));
};

/** HEAD and OPTIONS, which the contract promises in its text. */
export const promisedMethods: FaultMaker = (made) =>
  certain([
    ...(made.method === 'GET' ? [{ ...made, method: 'HEAD' }] : []),
    { ...made, method: 'OPTIONS', fault: { what: 'OPTIONS', statuses: [204] } },
  ]);

/** Addresses that are similar to those of the contract. */
export const otherAddresses: FaultMaker = (made) => {
  const { path } = targetOf(made);
  const fault = { what: 'another address', statuses: [404] };
  const suffixes = ['/colour', '/colour/', '//', '.json', ';a=b'];
  const unknown = suffixes.filter(
    (suffix) => !targets.some((target) => matches(target.path, path + suffix)),
  );
  return certain(unknown.map((suffix) => ({ ...made, suffix, fault })));
};

function matches(template: string, path: string): boolean {
  const pattern = template.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+');
  return new RegExp(`^${pattern}/?$`).test(path.replace(/\{\w+\}/g, 'x'));
}
