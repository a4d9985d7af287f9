/** The JSON of a resource, in pieces that may be large in total. */
export type JsonChunks = readonly string[];

/**
 * Where each member of a resource's JSON comes from: a `value` from the column of its name, or
 * stored JSON from a column, as `JSON.stringify` wrote it. A required field of the contract without
 * a member, or a member without a column of its type, does not compile.
 */
export type JsonMembers<T, Row> = {
  readonly [K in keyof T]-?: K extends keyof Row
    ? Row[K] extends T[K]
      ? 'value'
      : StoredJson<T[K], Row>
    : StoredJson<T[K], Row>;
};

type StoredJson<T, Row> = [T] extends [object | null] ? { readonly json: JsonColumn<Row> } : never;

/** The columns that may hold JSON; JSON in chunks may be large. */
type JsonColumn<Row> = {
  [C in keyof Row]: Row[C] extends string | JsonChunks | null ? C & string : never;
}[keyof Row];

/**
 * Returns a function that writes rows as `JSON.stringify` would write the resource `T`. Stored JSON
 * is inserted unchanged.
 */
export function jsonWriter<T, Row extends Readonly<Record<string, unknown>>>(
  members: JsonMembers<T, Row>,
): (row: Row) => JsonChunks {
  const sources: readonly [string, 'value' | { readonly json: string }][] = Object.entries(members);
  const parts = sources.map(([name, source], index) => ({
    opening: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    column: source === 'value' ? name : source.json,
    isJson: source !== 'value',
  }));
  return (row) => {
    const chunks: string[] = [];
    let text = '';
    for (const { opening, column, isJson } of parts) {
      const value = row[column];
      text += opening;
      if (!isJson) text += JSON.stringify(value);
      else if (typeof value === 'string') text += value;
      else if (Array.isArray(value)) {
        chunks.push(text, ...value);
        text = '';
      } else text += 'null';
    }
    chunks.push(`${text}}`);
    return chunks;
  };
}
