import type { Middleware } from 'openapi-fetch';

const ofRequest = new WeakMap<Request, BodyInit>();
const ofCall = new WeakMap<object, BodyInit>();

/**
 * The global `Request`, but what the body of each is made from is remembered. From the request itself
 * nobody can tell: whatever it was, its body is a stream, which is gone once it was sent.
 */
export function rememberingRequest(): typeof Request {
  // Not a subclass: openapi-fetch takes from a middleware only what is an instance of this.
  return new Proxy(Request, {
    construct(Plain, [input, init]: [RequestInfo | URL, RequestInit?]) {
      const request = new Plain(input, init);
      if (init?.body !== undefined && init.body !== null) ofRequest.set(request, init.body);
      return request;
    },
  });
}

/**
 * Keeps what the body was made from for the whole call, since a middleware may put another request in
 * the place of the first. So it has to be the first middleware of the client.
 */
export const rememberBody: Middleware = {
  onRequest({ request, options }) {
    const body = ofRequest.get(request);
    // openapi-fetch makes one object of options for each call, and shows it to every middleware.
    if (body !== undefined) ofCall.set(options, body);
  },
};

/**
 * The request, to be sent once more.
 *
 * @param call the `options` that a middleware is given, which stand for the call
 * @returns nothing where the body cannot be sent again: a stream, or one that a middleware put there
 */
export function sentAgain(request: Request, call: object): Request | undefined {
  if (request.body === null) return new Request(request);
  const body = ofCall.get(call);
  if (body === undefined || body instanceof ReadableStream) return undefined;
  return new Request(request, { body });
}
