import type { IncomingHttpHeaders } from 'node:http';

/** The headers that may carry a key, in lower case. A request has one of them. */
export const KEY_HEADERS = ['authorization', 'x-api-key'] as const;

/** Returns the unchecked value of the header that carries the key; undefined if there is none. */
export function keyHeader(headers: IncomingHttpHeaders): string | undefined {
  const { authorization, 'x-api-key': key } = headers;
  return authorization ?? (Array.isArray(key) ? key.join() : key);
}
