import type { Middleware } from 'openapi-fetch';

const ofRequest = new WeakMap<Request, BodyInit>();
const ofCall = new WeakMap<object, BodyInit>();

/**
 * Returns the global `Request`, extended to remember the source of each body. A request alone does
 * not show it: its body is always a stream, and is consumed once sent.
 *
 * @param urlOf returns the URL of a request from the one that openapi-fetch put together
 */
export function rememberingRequest(urlOf: (url: string) => string): typeof Request {
  // A proxy and not a subclass: openapi-fetch accepts from a middleware only instances of this
  // class.
  return new Proxy(Request, {
    construct(Plain, [input, init]: [RequestInfo | URL, RequestInit?]) {
      const request = new Plain(typeof input === 'string' ? absolute(urlOf(input)) : input, init);
      if (init?.body !== undefined && init.body !== null) ofRequest.set(request, init.body);
      return request;
    },
  });
}

/** Returns what the body of a request was made from; undefined if a middleware made the request. */
export function findSource(request: Request): BodyInit | undefined {
  return ofRequest.get(request);
}

/** Resolves an address as a browser does, also for tests in Node with the document of a browser. */
function absolute(address: string): string {
  return typeof document === 'undefined' ? address : new URL(address, document.baseURI).href;
}

/**
 * Keeps the source of the body for the whole call, since a middleware may replace the request. Must
 * therefore be the first middleware of the client.
 */
export const rememberBody: Middleware = {
  onRequest({ request, options }) {
    const body = findSource(request);
    // openapi-fetch creates one options object per call and passes it to every middleware.
    if (body !== undefined) ofCall.set(options, body);
  },
};

/**
 * Returns a copy of the request that can be sent again.
 *
 * @param call the `options` that a middleware receives, which identify the call
 * @returns undefined if the body cannot be sent again: a stream, or a body that a middleware set
 */
export function sentAgain(request: Request, call: object): Request | undefined {
  if (request.body === null) return new Request(request);
  const body = ofCall.get(call);
  if (body === undefined || body instanceof ReadableStream) return undefined;
  return new Request(request, { body });
}
