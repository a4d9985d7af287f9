import { v7 as uuidv7 } from 'uuid';
import { TooLargeError } from './errors.js';

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

const MOST_KEYS = 1000;
const MOST_BYTES = 1024 * 1024;

/**
 * An open object as the store keeps it.
 * @throws {TooLargeError} if it has grown, by merging, beyond what the contract says
 */
export function openText(field: 'params' | 'settings', object: OpenObject): string {
  if (Object.keys(object).length > MOST_KEYS) throw new TooLargeError(field, `${MOST_KEYS} keys`);
  const text = JSON.stringify(object);
  if (Buffer.byteLength(text) > MOST_BYTES) throw new TooLargeError(field, '1 MiB of JSON');
  return text;
}

/** Text that the store wrote itself. */
export function parseObject(json: string): OpenObject {
  return JSON.parse(json);
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Which column finds a resource, and by what. */
export interface Key {
  readonly column: 'id' | 'name';
  readonly value: string;
}

/** The key of what is found by name or id: no name has the form of an identifier. */
export function key(nameOrId: string): Key {
  const lower = nameOrId.toLowerCase();
  return UUID.test(lower) ? { column: 'id', value: lower } : { column: 'name', value: nameOrId };
}
