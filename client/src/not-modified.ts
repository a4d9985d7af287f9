import type { Middleware } from 'openapi-fetch';

/**
 * Hands over an answer that nothing has changed (304) as one without a body: neither `data` nor `error`.
 * openapi-fetch would take its empty body for an error.
 */
export const passNotModified: Middleware = {
  onResponse({ response }) {
    if (response.status !== 304) return undefined;
    const headers = new Headers(response.headers);
    headers.set('Content-Length', '0');
    return new Response(null, { status: 304, statusText: response.statusText, headers });
  },
};
