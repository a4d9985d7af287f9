/** Whether a JSON value is an object, whose properties supply a row's values. */
export function isRowObject(row: unknown): row is Readonly<Record<string, unknown>> {
  return typeof row === 'object' && row !== null && !Array.isArray(row);
}

/** What a row says under a name; null if it says nothing, or is no object. */
export function ownValue(row: unknown, name: string): unknown {
  // Every object inherits something under the names "constructor" and "__proto__".
  return isRowObject(row) && Object.hasOwn(row, name) ? row[name] : null;
}
