import { defaultPathSerializer } from 'openapi-fetch';

/** What a URL parser takes for a step in the address, or for no segment at all. */
const NOT_A_SEGMENT = new Set(['', '.', '..']);

/**
 * Puts names into an address. An empty name, `.` and `..` are refused: with them the request would
 * reach another address, so that deleting the skill `..` would delete its project.
 */
export function serializePath(path: string, names: Record<string, unknown>): string {
  for (const [parameter, name] of Object.entries(names)) {
    if (typeof name === 'string' && NOT_A_SEGMENT.has(name)) {
      throw new TypeError(`The ${parameter} ${JSON.stringify(name)} cannot stand in an address`);
    }
  }
  return defaultPathSerializer(path, names);
}
