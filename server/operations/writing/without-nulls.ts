type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Returns the fields of a write that count as sent: a null counts as not sent. */
export function withoutNulls<T extends object>(fields: T): WithoutNulls<T> {
  const kept = Object.entries(fields).filter(([, value]) => value !== null);
  // Only nulls were removed, which TypeScript cannot infer from the entries.
  return Object.fromEntries(kept) as WithoutNulls<T>;
}
