/**
 * Stands for openapi-fetch in the page: sends requests and reads answers as it does, without the forms of parameters,
 * bodies and clients that the contract and roster-client do not use. It has a third of its size, compressed;
 * `contract-tests/console/fetch-client.test.ts` compares the two.
 */

type Sent = Record<string, unknown>;

/** The parts of `ClientOptions` that roster-client sets. Other options, such as `duplex`, go to each request. */
interface Options extends Omit<RequestInit, 'headers'> {
  readonly baseUrl: string;
  readonly fetch: (request: Request) => Promise<Response>;
  readonly Request: typeof Request;
  readonly headers: Sent;
  readonly bodySerializer: (body: unknown, headers: Headers) => NonNullable<RequestInit['body']>;
  readonly pathSerializer: (path: string, names: Sent) => string;
}

/** The parts of `FetchOptions` that the console gives to a call. */
interface Init extends Omit<RequestInit, 'body' | 'headers'> {
  readonly params?: { readonly path?: Sent; readonly query?: Sent; readonly header?: Sent };
  /** roster-client reads JSON itself, as text. */
  readonly parseAs: 'text' | 'blob' | 'stream';
  readonly body?: unknown;
  readonly headers?: Sent;
}

/** The parts of `Middleware`: each may return what takes the place of the request, or of the outcome. */
interface Middleware {
  onRequest?(call: object): Awaitable<Request | undefined>;
  onResponse?(call: object & { response: Response }): Awaitable<Response | undefined>;
  onError?(call: object & { error: unknown }): Awaitable<Response | undefined>;
}

type Awaitable<T> = T | Promise<T>;

/** Returns a client that has the methods of the contract, and `use`. */
export default function createClient(options: Options) {
  const { baseUrl, fetch, Request: Made, headers: common, bodySerializer, pathSerializer, ...always } = options;
  const middlewares: Middleware[] = [];

  const send = async (method: string, schemaPath: string, init: Init) => {
    const { params = {}, parseAs, body, headers: own, ...rest } = init;
    const headers = mergeHeaders(common, own, params.header);
    const sent = body === undefined ? undefined : bodySerializer(body, headers);
    if (sent !== undefined && !headers.has('Content-Type')) headers.set('Content-Type', 'application/json');
    const path = pathSerializer(baseUrl + schemaPath, params.path ?? {});
    const made = { ...always, ...rest, method, headers, ...(sent !== undefined && { body: sent }) };
    const call = {
      request: new Made(path + serializeQuery(params.query ?? {}), made),
      schemaPath,
      params,
      // One for each call: middleware knows a call by it.
      options: { baseUrl, fetch, parseAs },
    };
    const response = await answer(call, middlewares);
    const { status, ok } = response;
    if (status === 204 || response.headers.get('Content-Length') === '0') {
      return ok ? { data: undefined, response } : { error: undefined, response };
    }
    return ok
      ? { data: parseAs === 'stream' ? response.body : await response[parseAs](), response }
      : { error: orJson(await response.text()), response };
  };

  const of = (method: string) => (path: string, init: Init) => send(method, path, init);
  return {
    GET: of('GET'),
    PUT: of('PUT'),
    POST: of('POST'),
    PATCH: of('PATCH'),
    DELETE: of('DELETE'),
    use: (...more: Middleware[]) => {
      middlewares.push(...more);
    },
  };
}

interface Call {
  request: Request;
  readonly options: Pick<Options, 'fetch'>;
}

/** Sends a request through the middleware, the last of which gets the outcome first. */
async function answer(call: Call, middlewares: readonly Middleware[]): Promise<Response> {
  const backwards = middlewares.toReversed();
  for (const middleware of middlewares) {
    call.request = (await middleware.onRequest?.(call)) ?? call.request;
  }
  let response: Response | undefined;
  try {
    response = await call.options.fetch(call.request);
  } catch (error) {
    for (const middleware of backwards) {
      response ??= await middleware.onError?.({ ...call, error });
    }
    if (!response) throw error;
  }
  for (const middleware of backwards) {
    response = (await middleware.onResponse?.({ ...call, response })) ?? response;
  }
  return response;
}

function orJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Writes the parameters of a query, a list as one for each of its values. */
function serializeQuery(query: Sent): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    [value].flat().flatMap((each) => (each == null ? [] : `${name}=${encodeURIComponent(String(each))}`)),
  );
  return pairs.length > 0 ? `?${pairs.join('&')}` : '';
}

/** Puts names into an address. */
export function defaultPathSerializer(path: string, names: Sent): string {
  return Object.entries(names).reduce(
    (address, [parameter, name]) => address.replace(`{${parameter}}`, () => encodeURIComponent(String(name))),
    path,
  );
}

/** The last value of a header counts. */
function mergeHeaders(...all: readonly (Sent | undefined)[]): Headers {
  const merged = new Headers();
  for (const [name, value] of all.flatMap((headers) => Object.entries(headers ?? {}))) {
    if (value !== undefined) merged.set(name, String(value));
  }
  return merged;
}
