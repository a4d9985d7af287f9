import { defaultPathSerializer } from 'openapi-fetch';

/** Path segments that a URL parser drops or resolves. */
const NOT_A_SEGMENT = new Set(['', '.', '..']);

/** A parameter that has no value. Names in an address are encoded, so its braces are the contract's. */
const UNFILLED = /^[^?]*\{(\w+)\}/;

/**
 * Puts names into an address. Refuses an empty name, `.` and `..`: with these, the request would
 * reach another address, and deleting the skill `..` would delete its project.
 */
export function serializePath(path: string, names: Record<string, unknown>): string {
  for (const [parameter, name] of Object.entries(names)) {
    if (typeof name === 'string' && NOT_A_SEGMENT.has(name)) {
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
export function requestUrl(baseUrl: string, url: string): string {
  const parameter = UNFILLED.exec(url)?.[1];
  if (parameter !== undefined) {
    throw new TypeError(
      `${url} needs a value for ${parameter}: give it as params: { path: { ${parameter} } }, spelled like this`,
    );
  }
  const isDoubled = baseUrl.endsWith('/api') && url.startsWith(`${baseUrl}/api/`);
  return isDoubled ? baseUrl + url.slice(`${baseUrl}/api`.length) : url;
}
