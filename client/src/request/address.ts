import { defaultPathSerializer } from 'openapi-fetch';

/** Path segments that a URL parser drops or resolves. */
const NOT_A_SEGMENT = new Set(['', '.', '..']);

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
