import { allOperations, type Operation } from '../../testkit/openapi/document.js';
import type { NamedAddress } from './addresses-of-page.js';

/** Addresses of the service that are not operations. */
const PAGES = [
  /^\/(api\/?|docs(#tour)?)?$/,
  /^\/openapi(\.(yaml|json)|\/\d+\.\d+\.\d+\.(yaml|json|dereferenced\.json))?$/,
  /^\/problems(\/(<slug>|…|[a-z-]+)?)?$/,
];

/** Compares an address with the contract. Returns what is wrong with it; undefined if it fits. */
export function findFault({ method, address }: NamedAddress): string | undefined {
  const [path = '', query = ''] = address.split('?');
  if (PAGES.some((page) => page.test(path))) return undefined;
  const there = allOperations.filter((operation) => segments(operation.path, path) !== undefined);
  if (there.length === 0) return 'the contract has no such address';
  const spelled = there.filter((operation) => misspelled(operation.path, path) === undefined);
  if (spelled.length === 0) return misspelled(`${there[0]?.path}`, path);
  const meant = spelled.filter((operation) => answers(operation, method));
  if (meant.length === 0) return `the contract has no ${method} there`;
  const unknown = [...new URLSearchParams(query).keys()].find(
    (name) => !meant.some((operation) => takesQuery(operation, name)),
  );
  return unknown && `there is no query parameter ${unknown}`;
}

function answers(operation: Operation, method: string | undefined): boolean {
  if (method === undefined || method === 'OPTIONS') return true;
  return operation.method === (method === 'HEAD' ? 'GET' : method);
}

function takesQuery({ parameters }: Operation, name: string): boolean {
  return parameters.some((one) => one.text('in') === 'query' && one.text('name') === name);
}

function misspelled(template: string, path: string): string | undefined {
  const wrong = segments(template, path)?.find(({ expected, given }) => given.startsWith('{') && given !== expected);
  return wrong && `${wrong.given} is spelled ${wrong.expected} in ${template}`;
}

/**
 * Returns the segments of both side by side; undefined if they are different addresses. `…` stands
 * for any beginning. Each address may have the prefix `/api` once, and end in a slash.
 */
function segments(template: string, path: string) {
  const asked = path.replace(/\/$/, '');
  const bare = template.startsWith('/api/') ? asked : asked.replace(/^\/api(?=\/)/, '');
  for (const candidate of [asked, bare]) {
    const given = candidate.replace(/^…\//, '').split('/');
    const expected = template.split('/');
    if (candidate.startsWith('…')) expected.splice(0, expected.length - given.length);
    const pairs = expected.map((segment, at) => ({ expected: segment, given: given[at] ?? '' }));
    const isSame = pairs.every((pair) =>
      pair.expected.startsWith('{') ? pair.given !== '' : pair.expected === pair.given,
    );
    if (isSame && given.length === expected.length) return pairs;
  }
  return undefined;
}
