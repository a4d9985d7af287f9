import createClient, { defaultPathSerializer, type FetchOptions, type Middleware } from 'openapi-fetch';
import type { RosterClient } from './contract/calls.js';
import { mediaTypesOf } from './contract/media-types.js';
import type { RosterPaths } from './contract/paths.js';
import { type DeprecatedCall, reportDeprecation, warnOnce } from './middleware/deprecation.js';
import { rememberBody, rememberingRequest } from './request/body-source.js';
import { parseAnswer } from './request/unexpected-answer.js';

/** The address of the service and the options for requests to it. */
export interface RosterClientOptions {
  /** The address of the service, with or without a trailing slash. It may end in `/api`, which no request has twice. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer …`. If missing or empty, the header is not sent. */
  apiKey?: string | undefined;
  /**
   * Called for each answer that says that its request used something deprecated. By default, the client warns on
   * the console, once for each operation.
   */
  onDeprecated?: ((call: DeprecatedCall) => void) | undefined;
  /** Used in place of the global `fetch`. */
  fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/** fetch requires this option when a body is a stream; the DOM types do not include it yet. */
const STREAMED_UPLOADS = { duplex: 'half' };

/**
 * Creates a client for the service at `baseUrl`.
 *
 * @throws TypeError if that is no address of HTTP, or has a query or a fragment
 *
 * @example
 * const roster = createRosterClient({ baseUrl: 'http://127.0.0.1:4000' });
 * const { data, error } = await roster.GET('/projects');
 */
export function createRosterClient({
  baseUrl,
  apiKey,
  onDeprecated = warnOnce(),
  fetch = (request) => globalThis.fetch(request),
}: RosterClientOptions): RosterClient {
  const base = checkBase(baseUrl);
  const client = createClient<RosterPaths>({
    ...STREAMED_UPLOADS,
    baseUrl: base,
    fetch: (request) => fetch(request).catch((error: unknown) => throwAbortReason(request, error)),
    Request: rememberingRequest((url) => requestUrl(base, url)),
    headers: {
      Accept: 'application/json, application/problem+json',
      ...(apiKey && { Authorization: `Bearer ${apiKey}` }),
    },
    bodySerializer: serializeBody,
    pathSerializer: serializePath,
  });
  // The last middleware gets the response first.
  client.use(rememberBody, passNotModified, reportDeprecation(onDeprecated));
  const calls = METHODS.map((method) => [method, callWith(client[method], method)]);
  // The same methods with stricter types. The compiler cannot compare the two, because their type
  // parameters differ. src/answers.test-d.ts and src/requests.test-d.ts check these types.
  return { ...client, ...Object.fromEntries(calls) } as RosterClient;
}

/** Returns the base URL without slashes at its end. In a page, it may be a path, such as `/api`. */
function checkBase(baseUrl: unknown): string {
  const fault =
    typeof baseUrl !== 'string' || /^(?!https?:)[a-z][a-z\d+.-]*:/i.test(baseUrl)
      ? 'is no address of http or https'
      : /[?#]/.test(baseUrl) && 'has a query or a fragment';
  if (fault || typeof baseUrl !== 'string') {
    throw new TypeError(`baseUrl ${JSON.stringify(baseUrl)} ${fault}; write it like http://127.0.0.1:4000`);
  }
  // bounded: an address that the program chooses
  return baseUrl.replace(/\/+$/, '');
}

/** Throws the reason of an abort, as fetch does by its standard. Cloudflare Workers throw their own error. */
function throwAbortReason({ signal }: Request, error: unknown): never {
  throw signal.aborted ? signal.reason : error;
}

const METHODS = ['GET', 'PUT', 'POST', 'DELETE'] as const;

/** The options of a call, without the types that depend on the address. */
type CallOptions = FetchOptions<object>;
type Send = (path: string, options: CallOptions) => ReturnType<Client['GET']>;
type Client = ReturnType<typeof createClient<Record<string, { get: { responses: object } }>>>;

/** Returns a method of the client that sends and reads the media types of each operation. */
function callWith(given: unknown, method: string): Send {
  const send = given as Send;
  return async (path, options: CallOptions = {}) => {
    const mediaTypes = mediaTypesOf(method, path);
    const { sends, reads } = mediaTypes;
    const { parseAs = reads ?? 'json', headers = {} } = options;
    const isJson = parseAs === 'json';
    const answer = await send(path, {
      ...options,
      // Text, so that a body that is not JSON can be shown.
      parseAs: isJson ? 'text' : parseAs,
      headers: {
        ...(sends && { 'Content-Type': sends }),
        ...(reads && { Accept: '*/*' }),
        ...(Symbol.iterator in headers ? Object.fromEntries(headers) : headers),
      },
    });
    return parseAnswer(answer, isJson, mediaTypes);
  };
}

/** Path segments that a URL parser drops or resolves. */
const NOT_A_SEGMENT = new Set(['', '.', '..']);

/** A parameter that has no value. Names in an address are encoded, so its braces are the contract's. */
const UNFILLED = /^[^?]*\{(\w+)\}/;

/**
 * Puts names into an address, each as one segment. Refuses an empty name, `.` and `..`: with these, the request would
 * reach another address, and deleting the skill `..` would delete its project. Refuses what is neither text nor a
 * number, which would become several segments, or a word such as `null`.
 *
 * @throws TypeError if a name is not allowed
 */
function serializePath(path: string, names: Record<string, unknown>): string {
  for (const [parameter, name] of Object.entries(names)) {
    // A missing one is reported with the address.
    if (name === undefined) continue;
    const isName = typeof name === 'string' || Number.isFinite(name);
    if (!isName || NOT_A_SEGMENT.has(`${name}`)) {
      throw new TypeError(`The ${parameter} ${JSON.stringify(name)} is not allowed in an address`);
    }
  }
  return defaultPathSerializer(path, names);
}

/**
 * Returns the URL that a request is sent to. Addresses of models begin with `/api`: below a base
 * URL that ends in `/api` they have it once.
 *
 * @throws TypeError if a parameter of the address has no value
 */
function requestUrl(baseUrl: string, url: string): string {
  const parameter = UNFILLED.exec(url)?.[1];
  if (parameter !== undefined) {
    throw new TypeError(`${url} needs params.path.${parameter}`);
  }
  const isDoubled = baseUrl.endsWith('/api') && url.startsWith(`${baseUrl}/api/`);
  return isDoubled ? baseUrl + url.slice(`${baseUrl}/api`.length) : url;
}

const JSON_MEDIA_TYPE = /^application\/json\b/i;
const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded';

/**
 * Serializes a body as its `Content-Type` says: as JSON if the header names JSON or is missing, an
 * object as a form if it names forms, else unchanged. A Blob or a stream is JSON already if the
 * header says so. Refuses text without `text/csv` or `application/x-ndjson`, and a Blob or a stream
 * without a header, since the service could report it only as a missing array.
 */
function serializeBody(body: unknown, headers?: Headers): unknown {
  const mediaType = headers?.get('Content-Type') ?? null;
  if (mediaType === FORM_MEDIA_TYPE && !(body instanceof URLSearchParams)) {
    // By way of JSON, which leaves out what is undefined.
    return `${new URLSearchParams(JSON.parse(JSON.stringify(body)))}`;
  }
  if (mediaType !== null && !JSON_MEDIA_TYPE.test(mediaType)) {
    return body;
  }
  const isBytes = body instanceof Blob || body instanceof ReadableStream;
  if (isBytes && mediaType !== null) return body;
  if (isBytes || typeof body === 'string') {
    throw new TypeError('Text, a Blob or a stream needs a Content-Type, such as text/csv');
  }
  return JSON.stringify(body);
}

/**
 * Returns a 304 response without a body, with neither `data` nor `error`. openapi-fetch would treat
 * the empty body as an error.
 */
const passNotModified: Middleware = {
  onResponse({ response }) {
    if (response.status !== 304) return undefined;
    const headers = new Headers(response.headers);
    headers.set('Content-Length', '0');
    return new Response(null, { status: 304, statusText: response.statusText, headers });
  },
};
