import { v7 as uuidv7 } from 'uuid';
import { jsonMembers } from '../resources/json-members.js';
import { TooLargeError } from './errors.js';

/** Returns the id and the timestamps of a new resource. */
export function newResource() {
  const now = new Date().toISOString();
  return { id: uuidv7(), created_at: now, updated_at: now };
}

/** A JSON object with arbitrary keys. */
export type OpenObject = Record<string, unknown>;

const MAX_KEYS = 1000;
const MAX_BYTES = 1024 * 1024;

/** An open object without members, as it is stored. */
export const EMPTY_OBJECT = '{}';

/**
 * Merges an open object into the stored one, one level deep: a sent key replaces the stored one,
 * `null` removes it, and other keys stay.
 * @param stored JSON that the store wrote. Its values are not parsed: they may be a mebibyte of
 *   small objects
 * @returns JSON as `JSON.stringify` writes the merged object
 * @throws {TooLargeError} if it has more keys or bytes than the contract allows
 */
export function mergedText(field: 'params' | 'settings', stored: string, sent: OpenObject): string {
  const written = Object.entries(sent).map(([key, value]) => [key, JSON.stringify(value)] as const);
  const merged = new Map([...jsonMembers(stored), ...written]);
  const kept = [...merged].filter(([, value]) => value !== 'null');
  if (kept.length > MAX_KEYS) throw new TooLargeError(field, `${MAX_KEYS} keys`);
  // An object gives the key order of JSON.stringify: integer keys come first.
  const members = Object.entries(Object.fromEntries(kept));
  const text = `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`;
  if (Buffer.byteLength(text) > MAX_BYTES) throw new TooLargeError(field, '1 MiB of JSON');
  return text;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** The column and the value that identify a resource. */
export interface Key {
  readonly column: 'id' | 'name';
  readonly value: string;
}

/** Returns the key of a resource given by name or id: no name has the form of an id. */
export function key(nameOrId: string): Key {
  const lower = nameOrId.toLowerCase();
  return UUID.test(lower) ? { column: 'id', value: lower } : { column: 'name', value: nameOrId };
}
