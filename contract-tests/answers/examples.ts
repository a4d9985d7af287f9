import { contract, type Operation, operations } from '../../testkit/openapi/document.js';
import {
  creatingRequests,
  type ExampleRequest,
  examplePath,
  exampleRequests,
  wholeRequest,
} from '../../testkit/openapi/example-requests.js';
import type { Sent, Session } from './session.js';

/** A request that differs from an example in one way. */
interface Variant extends Sent {
  readonly what: string;
  readonly isWithoutKey?: true;
}

/** Creates the resources of the contract's examples, and sends each of its examples. */
export async function sendExamples(session: Session): Promise<void> {
  for (const operation of operations) {
    for (const request of creating(operation)) {
      await session.send(`creation, ${operation.id}, ${request.name}`, operation.id, request);
    }
  }
  await sendVariants(session, (operation) => [
    ...exampleRequests(operation).map((request) => ({ ...request, what: request.name })),
    ...parameterVariants(operation),
  ]);
}

/** Sends requests that are refused, and others that differ from the examples, to each operation. */
export async function sendExampleVariants(session: Session): Promise<void> {
  await sendVariants(session, variantsOf);
  for (const { pathname, what } of pages()) {
    await session.send(`page, ${what}`, 'page', { method: 'GET', path: pathname });
    await session.send(`page, ${what}, HEAD`, 'page', { method: 'HEAD', path: pathname });
  }
}

/** Resources are deleted last, so that the other requests find them. */
async function sendVariants(
  session: Session,
  variants: (operation: Operation) => Variant[],
): Promise<void> {
  const ordered = [
    ...operations.filter(({ method }) => method !== 'DELETE'),
    ...operations.filter(({ method }) => method === 'DELETE').toReversed(),
  ];
  for (const operation of ordered) {
    for (const { what, isWithoutKey, ...sent } of variants(operation)) {
      const key = isWithoutKey ? null : 'own';
      await session.send(`${operation.id}, ${what}`, operation.id, sent, key);
    }
  }
}

function creating(operation: Operation): ExampleRequest[] {
  return operation.id === 'trainModel' ? [wholeRequest(operation)] : creatingRequests(operation);
}

/** Returns the first example with each example of a parameter. */
function parameterVariants(operation: Operation): Variant[] {
  const request = wholeRequest(operation);
  return operation.parameters.flatMap((parameter) => {
    const [name, where] = [parameter.text('name'), parameter.text('in')];
    return parameter.entries('examples').flatMap(([example, { value }]): Variant[] => {
      const text = String(Object(value)['value']);
      const what = `${where} ${name}, ${example}`;
      if (where === 'header') {
        return [{ ...request, what, headers: { ...request.headers, [name]: text } }];
      }
      return where === 'query'
        ? [{ ...request, what, path: withQuery(request.path, name, text) }]
        : [];
    });
  });
}

function withQuery(path: string, name: string, value: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${name}=${encodeURIComponent(value)}`;
}

function variantsOf(operation: Operation): Variant[] {
  const request = wholeRequest(operation);
  const { path, headers, body } = request;
  const [pathname = '', query = ''] = path.split('?');
  const search = query && `?${query}`;
  const named = { project_name: 'no_such_project', projectName: 'no_such_project' };
  const withHeader = (name: string, value: string): Variant => ({
    ...request,
    what: `${name}: ${value}`,
    headers: { ...headers, [name]: value },
  });
  return [
    { ...request, what: 'unknown parameter', path: withQuery(path, 'colour', 'red') },
    { ...request, what: 'no parameter', path: pathname },
    { ...request, what: 'trailing slash', path: `${pathname}/${search}` },
    { ...request, what: 'prefix', path: `/api${path}` },
    { ...request, what: 'unknown address', path: `${pathname}/colour${search}` },
    { ...request, what: 'no project', path: examplePath(operation, named) },
    {
      ...request,
      what: 'malformed project',
      path: examplePath(operation, { project_name: '-', projectName: '-' }),
    },
    { ...request, what: 'malformed address', path: `${pathname}%zz${search}` },
    { ...request, what: 'no key', isWithoutKey: true },
    { ...request, what: 'malformed key', headers: { ...headers, Authorization: 'Bearer a b' } },
    { ...request, what: 'other key', headers: { ...headers, 'X-Api-Key': 'roster_a_b' } },
    ...['HEAD', 'OPTIONS', 'PATCH', 'PROPFIND', 'POST', 'PUT', 'DELETE']
      .filter(
        (method) => method !== operation.method && (method !== 'DELETE' || body === undefined),
      )
      .filter(
        (method) => !operations.some((one) => one.path === operation.path && one.method === method),
      )
      .map((method) => ({ method, path, what: method })),
    withHeader('Accept', 'application/xml'),
    withHeader('Accept', 'text/html, */*;q=0.1'),
    withHeader('If-Match', '"another"'),
    withHeader('If-None-Match', '"another"'),
    withHeader('If-Match', 'another'),
    withHeader('Origin', 'https://elsewhere.example'),
    withHeader('Origin', 'https://app.example.com'),
    withHeader('X-Request-Id', 'of-the-recording'),
    withHeader('Expect', 'a miracle'),
    ...(body === undefined ? bodyless(request) : bodied(request, operation)),
    ...(operation.method === 'POST' ? [withHeader('Idempotency-Key', operation.id)] : []),
    ...(operation.method === 'POST'
      ? [{ ...withHeader('Idempotency-Key', operation.id), what: 'again' }]
      : []),
    {
      method: 'OPTIONS',
      path,
      what: 'preflight',
      headers: {
        Origin: 'https://app.example.com',
        'Access-Control-Request-Method': operation.method,
        'Access-Control-Request-Headers': 'authorization, content-type',
      },
    },
  ];
}

function bodyless(request: ExampleRequest): Variant[] {
  return [
    { ...request, what: 'a body', headers: { 'Content-Type': 'application/json' }, body: '{}' },
    { ...request, what: 'a body of no type', body: 'x' },
  ];
}

function bodied(request: ExampleRequest, operation: Operation): Variant[] {
  const { headers, body = '' } = request;
  const type = (value: string, sent = body): Variant => ({
    ...request,
    what: `${value}, ${sent.slice(0, 20)}`,
    headers: { ...headers, 'Content-Type': value },
    body: sent,
  });
  const most = operation.place.find('requestBody', 'x-roster-max-body')?.value;
  return [
    type('application/x-www-form-urlencoded', 'name=jewellery'),
    type('application/json; charset=utf-16'),
    type('application/json', '{"a":'),
    type('application/json', '"text"'),
    type('application/json', 'null'),
    type('application/json', '[]'),
    type('application/json', '{}'),
    type('application/json', '{"__proto__":{"a":1}}'),
    type('application/json', '[{"a":1,"a":2}]'),
    type('application/json', `${'['.repeat(200)}${']'.repeat(200)}`),
    type('text/csv', 'a,b\n1'),
    type('text/plain', 'plain'),
    type('text/markdown', '# Title\n\ntext'),
    type('application/x-ndjson', '{"a":1}\n{'),
    { ...request, what: 'no body', body: undefined },
    { ...request, what: 'no media type', headers: {} },
    { ...request, what: 'br', headers: { ...headers, 'Content-Encoding': 'br' } },
    { ...request, what: 'not gzip', headers: { ...headers, 'Content-Encoding': 'gzip' } },
    { ...request, what: 'not zstd', headers: { ...headers, 'Content-Encoding': 'zstd' } },
    ...(typeof most === 'number'
      ? [{ ...request, what: 'too large', body: body.padEnd(most + 1) }]
      : []),
  ];
}

/** Addresses beside the operations. */
function pages(): { pathname: string; what: string }[] {
  const problems = contract
    .entries('components', 'schemas')
    .map(([, schema]) => schema.find('properties', 'type', 'const')?.value)
    .filter((type) => typeof type === 'string')
    .filter((type) => type.startsWith('/problems/'));
  const others = ['/', '/docs', '/docs/', '/openapi', '/openapi.yaml', '/openapi.json'];
  const unknown = [
    '/problems/none',
    '/openapi/none',
    '/docs/none.js',
    '/%',
    '/api',
    '/favicon.ico',
  ];
  return [...others, ...unknown, ...new Set(problems)].map((pathname) => ({
    pathname,
    what: pathname,
  }));
}
