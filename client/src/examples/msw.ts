import { OPERATIONS } from '../../../generated/examples.js';
import type { ExampleChoices, OperationId } from './choices.js';
import { examples } from './examples.js';
import { pathPattern } from './find-operation.js';

/** Makes a handler for requests to the addresses that a pattern fits. */
type MakeHandler<Handler> = (address: RegExp, answer: (info: { request: Request }) => Promise<Response>) => Handler;

/** The `http` of MSW 2. */
export interface MswHttp<Handler> {
  get: MakeHandler<Handler>;
  put: MakeHandler<Handler>;
  post: MakeHandler<Handler>;
  delete: MakeHandler<Handler>;
}

/**
 * Returns a handler of MSW for each operation, which answers as `examples` does.
 *
 * @param http that of `msw`
 * @param baseUrl the one of the client; relative to the page, or absolute
 * @throws TypeError as `examples` does
 * @example
 * const handlers = exampleHandlers(http, 'https://roster.test');
 * const server = setupServer(...Object.values(handlers));
 */
export function exampleHandlers<Handler>(
  http: MswHttp<Handler>,
  baseUrl: string,
  choices: ExampleChoices = {},
): Record<OperationId, Handler> {
  const answer = examples(choices);
  const base = basePattern(baseUrl);
  const methods = { GET: http.get, PUT: http.put, POST: http.post, DELETE: http.delete };
  const handlers = Object.entries(OPERATIONS).map(([id, { method, path }]) => {
    // bounded: the address of a request in a test
    const address = new RegExp(`${base}${pathPattern(path)}$`);
    return [id, methods[method](address, ({ request }) => answer(request))] as const;
  });
  // The same keys as those of the record.
  return Object.fromEntries(handlers) as Record<OperationId, Handler>;
}

/** Every address also answers under `/api`, with which a base URL may end. */
function basePattern(baseUrl: string): string {
  // bounded: an address that the program chooses
  const address = baseUrl.replace(/\/+$/, '');
  const base = address.replace(/\/api$/, '');
  const origin = /^[a-z]+:\/\//i.test(base) ? '' : '[a-z]+://[^/]+';
  return `^${origin}${base.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:/api)?`;
}
