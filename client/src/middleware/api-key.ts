import type { Middleware } from 'openapi-fetch';

/** A key, or a function that returns it. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>);

/**
 * Sends a key with each request, as `Authorization: Bearer …`. A function is called before each
 * request, so that the key may change; if it returns none, the request is sent without one.
 */
export function apiKey(key: ApiKey): Middleware {
  return {
    async onRequest({ request }) {
      const now = typeof key === 'function' ? await key() : key;
      if (now) request.headers.set('Authorization', `Bearer ${now}`);
    },
  };
}
