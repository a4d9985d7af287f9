type WithoutNulls<T> = { [K in keyof T]: Exclude<T[K], null> };

/** Returns the fields of a write that count as sent: a null counts as not sent. */
export function omitNulls<T extends object>(fields: T): WithoutNulls<T> {
  return changedFields(fields, []);
}

/**
 * Returns the fields that a change sends. Null removes a removable field, and counts as not sent
 * for the others. In a body with `params`, the older name of `settings`, it counts as not sent for
 * all: clients that know this name send null for fields that stay.
 */
export function changedFields<T extends object, K extends keyof T = never>(
  fields: T,
  removable: readonly K[],
): WithoutNulls<Omit<T, K>> & Pick<T, K> {
  const removed: ReadonlySet<unknown> = new Set(hasOlderName(fields) ? [] : removable);
  const kept = Object.entries(fields).filter(
    ([name, value]) => value !== null || removed.has(name),
  );
  // Only nulls were removed, which TypeScript cannot infer from the entries.
  return Object.fromEntries(kept) as WithoutNulls<Omit<T, K>> & Pick<T, K>;
}

/** The params of a skill have no other name. */
function hasOlderName(fields: { readonly params?: unknown }): boolean {
  return (fields.params ?? null) !== null;
}
