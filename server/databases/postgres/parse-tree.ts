/** A node of a parse tree, or its fields. */
export type TreeObject = Readonly<Record<string, unknown>>;

export function isTreeObject(value: unknown): value is TreeObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the items of a list of the tree; none if the field is absent. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Returns the text of a `String` node; undefined for any other one. */
export function stringOf(node: unknown): string | undefined {
  if (!isTreeObject(node) || !isTreeObject(node['String'])) return undefined;
  return textOf(node['String']['sval']) ?? '';
}

/** Returns the name of a thing of `pg_catalog`, as the parts of a name; undefined for another schema. */
export function builtInName(parts: unknown): string | undefined {
  const names = listOf(parts).map(stringOf);
  if (names.length === 1) return names[0];
  return names.length === 2 && names[0] === 'pg_catalog' ? names[1] : undefined;
}

/** Returns a name as it is written in SQL, for messages. */
export function nameText(parts: unknown): string {
  return listOf(parts)
    .map((part) => stringOf(part) ?? '*')
    .join('.');
}
