import type { Middleware } from 'openapi-fetch';

/**
 * Returns a 304 response without a body, with neither `data` nor `error`. openapi-fetch would treat
 * the empty body as an error.
 */
export const passNotModified: Middleware = {
  onResponse({ response }) {
    if (response.status !== 304) return undefined;
    const headers = new Headers(response.headers);
    headers.set('Content-Length', '0');
    return new Response(null, { status: 304, statusText: response.statusText, headers });
  },
};
