/** A JSON object whose members are not known yet. */
export type JsonRecord = Readonly<Record<string, unknown>>;

const EMPTY: JsonRecord = {};

/** A value as an object to look into, member by member; anything that has no members has none. */
export function asRecord(value: unknown): JsonRecord {
  return isObject(value) ? value : EMPTY;
}

function isObject(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null;
}
