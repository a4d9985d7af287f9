/** Returns a field of an object; undefined if the value is not an object, or lacks the field. */
export function readField(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** Returns a field if it is a string, and an empty string otherwise. */
export function readText(value: unknown, name: string): string {
  const text = readField(value, name);
  return typeof text === 'string' ? text : '';
}
