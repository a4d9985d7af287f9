import { v7 as uuidv7 } from 'uuid';

/** The identity and the timestamps of a resource that is created now. */
export function newResource() {
  const now = new Date().toISOString();
  return { id: uuidv7(), created_at: now, updated_at: now };
}

/** A JSON object with keys of the user's own. */
export type OpenObject = Record<string, unknown>;

/**
 * Merges one level deep: a key that is sent replaces the stored one, `null` removes it, a key that is
 * not sent stays. Built from entries, so that a key such as `__proto__` is a key like any other.
 */
export function merge(stored: OpenObject, sent: OpenObject): OpenObject {
  const merged = new Map([...Object.entries(stored), ...Object.entries(sent)]);
  return Object.fromEntries([...merged].filter(([, value]) => value !== null));
}

/** Text that the store wrote itself. */
export function parseObject(json: string): OpenObject {
  return JSON.parse(json);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Which column finds a resource, and by what: no name has the form of an identifier. */
export function key(nameOrId: string): { column: 'id' | 'name'; value: string } {
  const lower = nameOrId.toLowerCase();
  return UUID.test(lower) ? { column: 'id', value: lower } : { column: 'name', value: nameOrId };
}
