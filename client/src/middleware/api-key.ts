import type { Middleware } from 'openapi-fetch';

/** A key, or how to get it. */
export type ApiKey = string | (() => string | undefined | Promise<string | undefined>);

/**
 * Sends a key with each request, as `Authorization: Bearer …`. A function is asked before each request,
 * so that a key may change; the request goes without one where there is none.
 */
export function apiKey(key: ApiKey): Middleware {
  return {
    async onRequest({ request }) {
      const now = typeof key === 'function' ? await key() : key;
      if (now) request.headers.set('Authorization', `Bearer ${now}`);
    },
  };
}
