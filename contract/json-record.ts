/** A JSON object with unknown members. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const EMPTY: JsonRecord = {};

/** Returns a value as an object with members to read; empty if it is not an object. */
export function asRecord(value: unknown): JsonRecord {
  return isObject(value) ? value : EMPTY;
}

/** Returns a value as a list to read; empty if it is not one. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns whether a value has members to read: an object or an array. */
export function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null;
}

/** Returns the value of a text; undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
